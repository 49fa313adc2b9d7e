import { parseArgs } from 'node:util';
import { createPool } from '@gateway/postgres';
import { createLogger, parseEnv, processSettings } from '@gateway/process';
import { reconcile } from './ledger/store/reconcile';
import { createBillingMetrics } from './metrics';
import { createSettlements, QUEUE_CONNECTIONS } from './queues';
import { noRates } from './rates/rules/no-rates';
import { billingAddresses, kafkaOfCell } from './settings';
import { readTopicSince } from './settle/kafka/read-topic-since';
import { deliveryOfJson } from './settle/rules/delivery';
import { MalformedEvent } from './settle/rules/usage-event';
import { restoreHolds } from './settle/store/restore-holds';

const USAGE = 'usage: node dist/replay.js --since 2026-11-26T12:00:00Z';
/** Events wait in Kafka before they are settled, so those of the latest transactions before a time were sent earlier. */
const MARGIN_MS = 3_600_000;
const SLICE = 256;
/** Losses of the past limit no account now. */
const NO_LIMIT = 2n ** 62n;

/**
 * Settles the usage events that Kafka has received since an hour before `--since`, after the database was restored to that time.
 * Safe to repeat: a call is settled once.
 */
async function main(): Promise<void> {
  const { since } = parseArgs({ options: { since: { type: 'string' } } }).values;
  const sinceMs = Date.parse(since ?? '');
  if (Number.isNaN(sinceMs)) throw new Error(USAGE);
  const settings = parseEnv({ ...billingAddresses, LOG_LEVEL: processSettings.LOG_LEVEL }, process.env);
  const kafka = kafkaOfCell(settings);
  if (!kafka) throw new Error('KAFKA_BROKERS is required');
  const log = createLogger('billing-replay', settings.LOG_LEVEL);
  const pool = createPool({ url: settings.DATABASE_URL, log, maxConnections: QUEUE_CONNECTIONS });
  const metrics = createBillingMetrics(() => reconcile(pool));
  const settlements = createSettlements(noRates, NO_LIMIT, { pool, metrics, log });
  const counts = { applied: 0, duplicate: 0, dead: 0, restoredHolds: 0 };
  try {
    await readTopicSince({
      connection: kafka,
      sinceMs: sinceMs - MARGIN_MS,
      log,
      async onMessages(messages) {
        for (let at = 0; at < messages.length; at += SLICE) {
          const deliveries = messages.slice(at, at + SLICE).map(({ value }) => deliveryOfJson(value));
          const events = deliveries.flatMap(({ event }) => (event instanceof MalformedEvent ? [] : [event]));
          counts.restoredHolds += await restoreHolds(pool, events);
          const outcomes = await Promise.all(deliveries.map((delivery) => settlements.submit(delivery)));
          for (const { kind } of outcomes) counts[kind]++;
        }
      },
    });
    log.info(counts, 'replayed');
  } finally {
    await pool.end();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
