import { type Pool, withTransaction } from '@gateway/postgres';
import { rowsOf, statement } from '../../store/statement';
import type { RefusedCall } from '../rules/refused-call';
import type { RefusedCount } from './usage-days';
import { insertUsageRecordsAndCounts } from './usage-records';

export interface RefusalReport {
  readonly reporterId: string;
  readonly report: bigint;
  readonly calls: readonly RefusedCall[];
  readonly more: readonly RefusedCount[];
}

const BEGIN = statement(
  'begin-refusal-report',
  `INSERT INTO billing.refusal_reporters AS r (id, last_report) VALUES ($1, $2)
   ON CONFLICT (id) DO UPDATE SET last_report = excluded.last_report, last_seen = now()
     WHERE r.last_report < excluded.last_report
   RETURNING last_report`,
);

// Settlements of many accounts would wait for the rows that it locks, so it gives up early and is sent again.
const SHORT_WAITS = `SET LOCAL idle_in_transaction_session_timeout = '2s'; SET LOCAL lock_timeout = '2s'`;

/** Stores a report once, however often it is sent. */
export async function takeRefusals(
  pool: Pool,
  { reporterId, report, calls, more }: RefusalReport,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    await client.query(SHORT_WAITS);
    const begun = await rowsOf(client, BEGIN, [reporterId, report]);
    if (begun.length === 0) return;
    await insertUsageRecordsAndCounts(
      client,
      calls.map((event) => ({ event, chargedNano: 0n })),
      more,
    );
  });
}
