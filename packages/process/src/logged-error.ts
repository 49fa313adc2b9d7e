import pino from 'pino';

/** Property in which Node's HTTP parser stores the bytes it could not parse, which may be part of a body. */
const PARSED_BYTES = 'rawPacket';

/** Serializes an error for the log without the bytes that could not be parsed; returns other values unchanged. */
export function toLoggedError(error: unknown): unknown {
  const logged: unknown = pino.stdSerializers.err(error as Error);
  if (typeof logged !== 'object' || logged === null || !(PARSED_BYTES in logged)) return logged;
  const { [PARSED_BYTES]: _bytes, ...others } = logged;
  return others;
}
