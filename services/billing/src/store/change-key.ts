import { GatewayError } from '@gateway/proto';
import { type Pool, type PoolClient, withTransaction } from '@gateway/runtime';
import { KEY_COLUMNS, type KeyRow } from './keys';
import { lockAccounts } from './lock-accounts';
import { notifyKeys } from './notify-keys';
import { rowsOf, statement } from './statement';

/**
 * Changes a key in a transaction that has locked its account, and tells every cache. `Reserve` reads the
 * key under the same lock, so its next call meets the change. Throws `not_found` for an unknown, a deleted
 * and another account's key alike.
 */
export function changeKey(
  pool: Pool,
  accountId: string,
  id: string,
  change: (client: PoolClient) => Promise<KeyRow[]>,
): Promise<KeyRow> {
  return withTransaction(pool, async (client) => {
    await lockAccounts(client, [accountId]);
    const [row] = await change(client);
    if (!row) throw new GatewayError('not_found');
    await notifyKeys(client, { keyIds: [id], accountIds: [] });
    return row;
  });
}

const OWN = `id = $1 AND account_id = $2 AND status <> 'deleted'`;

const DELETE = statement(
  'delete-key',
  `UPDATE billing.keys SET status = 'deleted' WHERE ${OWN} RETURNING ${KEY_COLUMNS}`,
);

export const deleteKey = (pool: Pool, accountId: string, id: string): Promise<KeyRow> =>
  changeKey(pool, accountId, id, (client) => rowsOf<KeyRow>(client, DELETE, [id, accountId]));

const SET_STATUS = statement(
  'set-key-status',
  `UPDATE billing.keys SET status = CASE status WHEN 'revoked' THEN status ELSE $3 END
   WHERE ${OWN} RETURNING ${KEY_COLUMNS}`,
);

/** Throws `invalid_request` for a revoked key: it has leaked, so it never comes back. */
export const setKeyEnabled = (pool: Pool, accountId: string, id: string, enabled: boolean): Promise<KeyRow> =>
  changeKey(pool, accountId, id, async (client) => {
    const rows = await rowsOf<KeyRow>(client, SET_STATUS, [id, accountId, enabled ? 'enabled' : 'disabled']);
    for (const row of rows) refuseRevoked(row);
    return rows;
  });

export function refuseRevoked(row: KeyRow): void {
  if (row.status !== 'revoked') return;
  throw new GatewayError('invalid_request', { detail: 'the key was revoked; make a new one' });
}

const FIND_ACCOUNT = statement('find-account-of-key', 'SELECT account_id FROM billing.keys WHERE id = $1');

/** For good, whoever owns the key; again changes nothing. */
export async function revokeKey(pool: Pool, id: string): Promise<KeyRow> {
  const [owner] = await rowsOf<{ account_id: string }>(pool, FIND_ACCOUNT, [id]);
  if (!owner) throw new GatewayError('not_found');
  const { account_id: accountId } = owner;
  return changeKey(pool, accountId, id, (client) =>
    rowsOf<KeyRow>(client, SET_STATUS, [id, accountId, 'revoked']),
  );
}

/** Undefined stays as it is, null lifts. */
export interface KeyUpdate {
  readonly name: string | undefined;
  readonly allowedModels: readonly string[] | undefined;
  readonly expiresAtMs: bigint | null | undefined;
  readonly dailyLimitNano: bigint | null | undefined;
  readonly monthlyLimitNano: bigint | null | undefined;
  readonly requestCostLimitNano: bigint | null | undefined;
  readonly rpmLimit: bigint | null | undefined;
  readonly tpmLimit: bigint | null | undefined;
}

const LIMITS = [
  'daily_limit_nano',
  'monthly_limit_nano',
  'request_cost_limit_nano',
  'rpm_limit',
  'tpm_limit',
];

// $5 names the columns that change, $6 to $11 are what they change to.
const UPDATE = statement(
  'update-key',
  `UPDATE billing.keys SET
     name = coalesce($3, name),
     allowed_models = coalesce($4::text[], allowed_models),
     expires_at = CASE WHEN 'expires_at' = ANY($5::text[]) THEN to_timestamp($6::bigint / 1000.0)
       ELSE expires_at END,
     ${LIMITS.map((column, i) => `${column} = CASE WHEN '${column}' = ANY($5) THEN $${i + 7}::bigint ELSE ${column} END`).join(',\n     ')}
   WHERE ${OWN} RETURNING ${KEY_COLUMNS}`,
);

export function updateKey(pool: Pool, accountId: string, id: string, update: KeyUpdate): Promise<KeyRow> {
  const { dailyLimitNano, monthlyLimitNano, requestCostLimitNano, rpmLimit, tpmLimit } = update;
  const limits = [dailyLimitNano, monthlyLimitNano, requestCostLimitNano, rpmLimit, tpmLimit];
  const changed = LIMITS.filter((_, i) => limits[i] !== undefined);
  if (update.expiresAtMs !== undefined) changed.push('expires_at');
  return changeKey(pool, accountId, id, (client) =>
    rowsOf<KeyRow>(client, UPDATE, [
      id,
      accountId,
      update.name ?? null,
      update.allowedModels ?? null,
      changed,
      update.expiresAtMs ?? null,
      ...limits.map((limit) => limit ?? null),
    ]),
  );
}
