const CALLED_ERROR = /(^|[\r\n])event: ?error[\r\n]/;
/** Matches an event's name, also after a comment or an id. */
const HEAD_BYTES = 64;
const FIRST_OF_DATA = 0x64;

/**
 * Whether an event reports that the sender aborted the stream. Servers that only resemble a format use other shapes: an
 * event named `error`, a member `error`, or a type or object with that name.
 */
export function isErrorEvent(event: Buffer, data: Readonly<Record<string, unknown>> | undefined): boolean {
  return isCalledError(event) || Boolean(data?.error) || data?.type === 'error' || data?.object === 'error';
}

/** Whether the event's name, which precedes its data, is `error`; cheap for events without a name. */
export const isCalledError = (event: Buffer): boolean =>
  event[0] !== FIRST_OF_DATA && CALLED_ERROR.test(event.toString('latin1', 0, HEAD_BYTES));
