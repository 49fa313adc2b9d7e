/** No context has room for more values. */
export const BODY_BOUNDS = { maxValues: 250_000 } as const;
