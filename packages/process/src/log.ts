import pino, { type Logger } from 'pino';
import { toLoggedError } from './logged-error';

export type { Logger };

/** Creates a logger that writes JSON lines to standard output. Log ids and figures, never bodies, keys or credentials. */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: toLoggedError },
  });
}
