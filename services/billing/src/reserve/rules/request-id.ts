const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text is a UUID in canonical lower-case form, as request ids are. */
export const isUuid = (value: string): boolean => UUID.test(value);

/** Far later than any call, and representable in every format. */
const MAX_TIME_MS = Date.UTC(9999, 11, 31);

/** Returns when a request arrived: edge creates its id, a UUIDv7, at that moment. `elseMs` for an id without a time. */
export function requestTimeMs(requestId: string, elseMs: number): number {
  const timeMs =
    requestId[14] === '7' ? Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16) : elseMs;
  return Math.min(timeMs, MAX_TIME_MS);
}

/** Returns the smallest UUIDv7 of a moment. */
export function uuidFloor(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Returns the UTC day, as `YYYY-MM-DD`. */
export const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);
