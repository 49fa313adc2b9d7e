const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for the canonical lower-case form, in which request ids travel. */
export const isUuid = (value: string): boolean => UUID.test(value);

/** Far beyond any call, and a year that every format has digits for. */
const MAX_TIME_MS = Date.UTC(9999, 11, 31);

/** When a request came in: edge makes its id, a UUIDv7, at that moment. `elseMs` for an id that tells no time. */
export function requestTimeMs(requestId: string, elseMs: number): number {
  const timeMs =
    requestId[14] === '7' ? Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16) : elseMs;
  return Math.min(timeMs, MAX_TIME_MS);
}

/** The least UUIDv7 of a moment. */
export function uuidFloor(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The UTC day, as `YYYY-MM-DD`. */
export const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);
