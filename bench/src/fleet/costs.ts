/** Seconds of CPU per plain call: the middle of what docs/scaling.md has measured. */
export const EDGE_S = 171e-6;
export const CHAT_S = 389e-6;
/** `reserve` on real engines, holds not released (bench/results); the rest of a call is its settlement. */
export const BILLING_RESERVE_S = 32e-6;
export const BILLING_SETTLE_S = 154e-6 - BILLING_RESERVE_S;
export const POSTGRES_RESERVE_S = 29e-6;
export const POSTGRES_SETTLE_S = 168e-6 - POSTGRES_RESERVE_S;
export const POSTGRES_S = POSTGRES_RESERVE_S + POSTGRES_SETTLE_S;
export const BILLING_S = BILLING_RESERVE_S + BILLING_SETTLE_S;
export const WAL_BYTES = 2_600;

/** Utilisation for which instances and cells are planned. */
export const PLANNED_USE = 0.7;
/** Of chat for a reservation, and of edge for resolving a key. */
export const TIMEOUT_S = 5;
