import type { Logger } from '@gateway/runtime';
import { type LogEntry, logLevel } from 'kafkajs';

/** kafkajs's own log, through ours. Its errors are retried by it or end the session, which is logged here. */
export const kafkaLog = (log: Logger) => () => (entry: LogEntry) => {
  if (entry.level > logLevel.WARN) return;
  const { message, timestamp: _, ...fields } = entry.log;
  log.warn({ kafka: { namespace: entry.namespace, error: fields.error } }, message);
};
