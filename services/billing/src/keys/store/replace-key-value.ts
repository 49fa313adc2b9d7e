import type { Pool, PoolClient } from '@gateway/postgres';
import { rowsOf, statement } from '../../store/statement';
import { changeKey, refuseRevoked } from './change-key';
import { KEY_COLUMNS, type KeyRow } from './keys';

/** The stored parts of a new value. */
export interface NewValue {
  readonly mac: Buffer;
  readonly hint: string;
  /** The user to whom it is shown, if known. */
  readonly holderIds: readonly string[];
}

const SET_HINT = statement(
  'set-key-hint',
  `UPDATE billing.keys SET hint = $3, holder_ids = CASE
       WHEN NOT $5 THEN $4::text[]
       WHEN holder_ids @> $4 THEN holder_ids
       ELSE holder_ids || $4 END
   WHERE id = $1 AND account_id = $2 AND status <> 'deleted'
   RETURNING ${KEY_COLUMNS}`,
);
const ADD_VALUE = statement('add-key-value', 'INSERT INTO billing.key_values (mac, key_id) VALUES ($1, $2)');

// A value that already expires keeps its own end.
const RETIRE = statement(
  'retire-key-values',
  `UPDATE billing.key_values SET retires_at = billing.clock() + $2::bigint * interval '1 second'
   WHERE key_id = $1 AND (retires_at IS NULL OR retires_at > billing.clock() + $2::bigint * interval '1 second')`,
);

/** Number of a key's expired values that answer `expired_api_key`; older ones are unknown. */
const MAX_RETIRED = 100;
const FORGET_OLDEST = statement(
  'forget-oldest-key-values',
  `DELETE FROM billing.key_values WHERE mac IN (
     SELECT mac FROM billing.key_values WHERE key_id = $1 AND retires_at IS NOT NULL
     ORDER BY retires_at DESC OFFSET ${MAX_RETIRED})`,
);
const FORGET = statement('forget-key-values', 'DELETE FROM billing.key_values WHERE key_id = $1');

/** Earlier values work during the grace period and expire after it. */
export const rotateKey = (
  pool: Pool,
  accountId: string,
  id: string,
  value: NewValue,
  graceSeconds: number,
): Promise<KeyRow> =>
  replaceValue(pool, accountId, id, { ...value, keepsHolders: graceSeconds > 0 }, async (client) => {
    await rowsOf(client, RETIRE, [id, graceSeconds]);
    await rowsOf(client, FORGET_OLDEST, [id]);
  });

/** Earlier values become unknown at once, including rotated ones. */
export const regenerateKey = (pool: Pool, accountId: string, id: string, value: NewValue): Promise<KeyRow> =>
  replaceValue(pool, accountId, id, { ...value, keepsHolders: false }, async (client) => {
    await rowsOf(client, FORGET, [id]);
  });

const replaceValue = (
  pool: Pool,
  accountId: string,
  id: string,
  value: NewValue & { readonly keepsHolders: boolean },
  endOthers: (client: PoolClient) => Promise<void>,
): Promise<KeyRow> =>
  changeKey(pool, accountId, id, async (client) => {
    const rows = await rowsOf<KeyRow>(client, SET_HINT, [
      id,
      accountId,
      value.hint,
      value.holderIds,
      value.keepsHolders,
    ]);
    if (!rows[0]) return rows;
    refuseRevoked(rows[0]);
    await endOthers(client);
    await rowsOf(client, ADD_VALUE, [value.mac, id]);
    return rows;
  });
