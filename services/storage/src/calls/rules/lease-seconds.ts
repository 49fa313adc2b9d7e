/** After it, another process may have what a process leased and did not renew. */
export const LEASE_SECONDS = 20;
