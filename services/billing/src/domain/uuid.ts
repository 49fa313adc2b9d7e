const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for the canonical lower-case form, in which request ids travel. */
export const isUuid = (value: string): boolean => UUID.test(value);
