const CALLED_ERROR = /^event: ?error[\r\n]/;
const NAME_BYTES = 'event: error\n'.length;

/**
 * Whether an event says that its sender broke off. Formats have a word for it, and servers that only resemble them
 * others: an event of that name, a member `error`, or a type or object of that name.
 */
export function isErrorEvent(event: Buffer, data: Readonly<Record<string, unknown>> | undefined): boolean {
  return isCalledError(event) || Boolean(data?.error) || data?.type === 'error' || data?.object === 'error';
}

/** Cheap. */
export const isCalledError = (event: Buffer): boolean =>
  event[0] === 0x65 && CALLED_ERROR.test(event.toString('latin1', 0, NAME_BYTES));
