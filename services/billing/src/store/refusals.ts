import { type Pool, withTransaction } from '@gateway/runtime';
import type { RefusedCall } from '../domain/refused-call';
import { rowsOf, statement } from './statement';
import { addRefusedCounts, type RefusedCount } from './usage-days';
import { insertUsageRecords } from './usage-records';

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

/** Once, however often it is sent. */
export async function takeRefusals(
  pool: Pool,
  { reporterId, report, calls, more }: RefusalReport,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const begun = await rowsOf(client, BEGIN, [reporterId, report]);
    if (begun.length === 0) return;
    await insertUsageRecords(
      client,
      calls.map((event) => ({ event, chargedNano: 0n })),
    );
    await addRefusedCounts(client, more);
  });
}
