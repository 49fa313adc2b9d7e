const CALLED_ERROR = /(^|[\r\n])event: ?error[\r\n]/;
/** Where an event's name stands, with a comment or an id before it. */
const HEAD_BYTES = 64;
const FIRST_OF_DATA = 0x64;

/**
 * Whether an event says that its sender broke off. Formats have a word for it, and servers that only resemble them
 * others: an event of that name, a member `error`, or a type or object of that name.
 */
export function isErrorEvent(event: Buffer, data: Readonly<Record<string, unknown>> | undefined): boolean {
  return isCalledError(event) || Boolean(data?.error) || data?.type === 'error' || data?.object === 'error';
}

/** Whether the event's name, which stands before its data, says so; cheap where it has none. */
export const isCalledError = (event: Buffer): boolean =>
  event[0] !== FIRST_OF_DATA && CALLED_ERROR.test(event.toString('latin1', 0, HEAD_BYTES));
