import type { Pool } from '@gateway/postgres';
import { type Queryable, rowsOf, statement } from '../../store/statement';

const INSERT = statement(
  'insert-free-calls',
  'INSERT INTO billing.free_calls (key_id) SELECT unnest($1::text[])',
);

const FORGET = statement(
  'forget-free-calls',
  `DELETE FROM billing.free_calls WHERE created_at < clock_timestamp() - interval '5 minutes'`,
);

/** Records calls of limited keys that reserve no money and so have no hold. */
export function insertFreeCalls(on: Queryable, keyIds: readonly string[]): Promise<unknown> {
  return rowsOf(on, INSERT, [keyIds]);
}

/** Deletes records that no longer count. */
export async function forgetFreeCalls(pool: Pool): Promise<void> {
  await rowsOf(pool, FORGET, []);
}
