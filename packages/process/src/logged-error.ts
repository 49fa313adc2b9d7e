import pino from 'pino';

/** The properties in which Node's HTTP parser keeps the bytes it could not parse: part of a request body. */
const BYTES = 'rawPacket';

/** Serializes an error for the log without those bytes; other values are left to the logger. */
export function toLoggedError(error: unknown): unknown {
  const logged: unknown = pino.stdSerializers.err(error as Error);
  if (typeof logged !== 'object' || logged === null || !(BYTES in logged)) return logged;
  const { [BYTES]: _bytes, ...others } = logged;
  return others;
}
