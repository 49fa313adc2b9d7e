/** Far more members and entries than any call here has fields. */
export const BODY_BOUNDS = { maxValues: 4_096 } as const;
