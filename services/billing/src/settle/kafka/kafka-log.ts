import type { Logger } from '@gateway/process';
import type { LogEntry } from 'kafkajs';

/** These report every attempt at a broker that is down; one line per session is enough. */
const CHATTY = ['Connection', 'BrokerPool'];

/** Forwards kafkajs's log. Its errors are retried by it, or end the session, which is logged then. */
export const kafkaLog = (log: Logger) => () => (entry: LogEntry) => {
  const level = CHATTY.includes(entry.namespace) ? 'debug' : 'warn';
  log[level]({ kafka: { namespace: entry.namespace, error: entry.log.error } }, entry.log.message);
};
