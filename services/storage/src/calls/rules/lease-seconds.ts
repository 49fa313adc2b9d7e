/** A process that has failed to renew a lease for this time no longer has what it leased. */
export const LEASE_SECONDS = 20;
