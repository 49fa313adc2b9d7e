import pino from 'pino';

/** What Node's HTTP parser keeps with its errors: the bytes that it could not read, so a part of somebody's body. */
const BYTES = 'rawPacket';

/** An error as it is logged; what is none is left to the logger. */
export function toLoggedError(error: unknown): unknown {
  const logged: unknown = pino.stdSerializers.err(error as Error);
  if (typeof logged !== 'object' || logged === null || !(BYTES in logged)) return logged;
  const { [BYTES]: _bytes, ...others } = logged;
  return others;
}
