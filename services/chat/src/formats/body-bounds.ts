/** No context fits more values, and a thousand tools don't have more parameters of different names. */
export const BODY_BOUNDS = { maxValues: 250_000, maxKeys: 20_000 } as const;
/** Enough to tell a wrong value from a missing one. */
export const MAX_FAULTS = 100;
