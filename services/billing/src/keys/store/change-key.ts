import { GatewayError } from '@gateway/errors';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { rowsOf, statement } from '../../store/statement';
import { type KeyChanger, type LimitChange, ownerLimitsAfter, STATUS } from '../rules/owner-limits';
import { findAccountOfKey, getKey, KEY_COLUMNS, type KeyRow } from './keys';
import { notifyKeys } from './notify-keys';

/**
 * Changes a key in a transaction that has locked its account, and invalidates every cache. `Reserve` reads the key under the same
 * lock, so the key's next call sees the change. Throws the same `not_found` for an unknown, a deleted and another account's key.
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
  `UPDATE billing.keys SET status = CASE status WHEN 'revoked' THEN status ELSE $3 END, owner_limits = $4
   WHERE ${OWN} RETURNING ${KEY_COLUMNS}`,
);

/**
 * Throws `invalid_request` for a revoked key: it has leaked, so it is never enabled again; and for a member who enables a key that an
 * owner has disabled.
 */
export const setKeyEnabled = (
  pool: Pool,
  accountId: string,
  id: string,
  enabled: boolean,
  by: KeyChanger,
): Promise<KeyRow> =>
  changeKey(pool, accountId, id, async (client) => {
    const { owner_limits: ownerLimits, ...key } = await getKey(client, accountId, id);
    const changes = enabled !== (key.status === 'enabled');
    const limits = ownerLimitsAfter(ownerLimits, [{ field: STATUS, changes, limits: !enabled }], by);
    const status = enabled ? 'enabled' : 'disabled';
    const rows = await rowsOf<KeyRow>(client, SET_STATUS, [id, accountId, status, limits]);
    for (const row of rows) refuseRevoked(row);
    return rows;
  });

export function refuseRevoked(row: KeyRow): void {
  if (row.status !== 'revoked') return;
  throw new GatewayError('invalid_request', { detail: 'the key was revoked; create a new one' });
}

// Keeps the first reason, and a deleted key deleted.
const REVOKE = statement(
  'revoke-key',
  `UPDATE billing.keys SET status = 'revoked', revoked_at = coalesce(revoked_at, billing.clock()),
     revoke_reason = coalesce(revoke_reason, $3)
   WHERE ${OWN} RETURNING ${KEY_COLUMNS}`,
);

/** Revokes a key of any account permanently; repeating it changes nothing. @param reason shown to the key's owner */
export async function revokeKey(pool: Pool, id: string, reason: string): Promise<KeyRow> {
  const accountId = await findAccountOfKey(pool, id);
  if (accountId === undefined) throw new GatewayError('not_found');
  return changeKey(pool, accountId, id, (client) => rowsOf<KeyRow>(client, REVOKE, [id, accountId, reason]));
}

const FIND_VALUE = statement(
  'find-leaked-value',
  `SELECT retires_at IS NULL AS is_current, coalesce(retires_at > billing.clock(), true) AS works
   FROM billing.key_values WHERE mac = ANY($1::bytea[]) AND key_id = $2`,
);
const END_VALUE = statement(
  'end-leaked-value',
  `UPDATE billing.key_values SET retires_at = billing.clock()
   WHERE mac = ANY($1::bytea[]) AND key_id = $2 AND retires_at > billing.clock()`,
);

export type LeakedValueOutcome = 'key_revoked' | 'value_ended' | 'unchanged';

/**
 * Revokes a leaked value, found by one of these MACs: the whole key if the value is its current one, only the value if a rotation
 * has replaced it.
 */
export async function revokeLeakedValue(
  pool: Pool,
  { id, account_id: accountId }: KeyRow,
  macs: readonly Buffer[],
  reason: string,
): Promise<{ key: KeyRow; outcome: LeakedValueOutcome }> {
  let outcome: LeakedValueOutcome = 'unchanged';
  const key = await changeKey(pool, accountId, id, async (client) => {
    // Read under the lock, because a rotation may have happened meanwhile.
    const [value] = await rowsOf<{ is_current: boolean; works: boolean }>(client, FIND_VALUE, [macs, id]);
    if (value?.is_current) {
      outcome = 'key_revoked';
      return rowsOf<KeyRow>(client, REVOKE, [id, accountId, reason]);
    }
    if (value?.works) {
      outcome = 'value_ended';
      await rowsOf(client, END_VALUE, [macs, id]);
    }
    return [await getKey(client, accountId, id)];
  });
  return { key, outcome };
}

/** Undefined keeps a field, null removes its value. */
export interface KeyUpdate {
  readonly name: string | undefined;
  readonly allowedModels: readonly string[] | undefined;
  readonly expiresAtMs: bigint | null | undefined;
  readonly dailyLimitNano: bigint | null | undefined;
  readonly monthlyLimitNano: bigint | null | undefined;
  readonly requestCostLimitNano: bigint | null | undefined;
  readonly rpmLimit: bigint | null | undefined;
  readonly tpmLimit: bigint | null | undefined;
  readonly bareModelNames: boolean | null | undefined;
  readonly noFallbackModels: boolean | undefined;
  readonly dropUnsupportedTools: boolean | undefined;
  readonly detailedMessages: boolean | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly allowedIps: readonly string[] | undefined;
}

const LIMITS = [
  'daily_limit_nano',
  'monthly_limit_nano',
  'request_cost_limit_nano',
  'rpm_limit',
  'tpm_limit',
];

// $5 lists the columns that change of those whose values may be null: $6 to $12.
const UPDATE = statement(
  'update-key',
  `UPDATE billing.keys SET
     name = coalesce($3, name),
     allowed_models = coalesce($4::text[], allowed_models),
     expires_at = CASE WHEN 'expires_at' = ANY($5::text[]) THEN to_timestamp($6::bigint / 1000.0)
       ELSE expires_at END,
     ${LIMITS.map((column, i) => `${column} = CASE WHEN '${column}' = ANY($5) THEN $${i + 7}::bigint ELSE ${column} END`).join(',\n     ')},
     bare_model_names = CASE WHEN 'bare_model_names' = ANY($5) THEN $12::boolean ELSE bare_model_names END,
     no_fallback_models = coalesce($13::boolean, no_fallback_models),
     drop_unsupported_tools = coalesce($14::boolean, drop_unsupported_tools),
     detailed_messages = coalesce($15::boolean, detailed_messages),
     scopes = coalesce($16::text[], scopes),
     allowed_ips = coalesce($17::text[], allowed_ips),
     owner_limits = $18
   WHERE ${OWN} RETURNING ${KEY_COLUMNS}`,
);

/** The fields that limit a key, as the dashboard's API calls them, in the update and in the row. */
const LIMIT_FIELDS = [
  ['expires_at', 'expiresAtMs', 'expires_at_ms'],
  ['allowed_models', 'allowedModels', 'allowed_models'],
  ['daily_limit', 'dailyLimitNano', 'daily_limit_nano'],
  ['monthly_limit', 'monthlyLimitNano', 'monthly_limit_nano'],
  ['request_cost_limit', 'requestCostLimitNano', 'request_cost_limit_nano'],
  ['rpm_limit', 'rpmLimit', 'rpm_limit'],
  ['tpm_limit', 'tpmLimit', 'tpm_limit'],
  ['scopes', 'scopes', 'scopes'],
  ['allowed_ips', 'allowedIps', 'allowed_ips'],
] as const;

/** Returns the limits that a new key has, or that an update sets or lifts. @param row of the key as it is; absent: it is new */
export const limitChanges = (update: Partial<KeyUpdate>, row?: KeyRow): LimitChange[] =>
  LIMIT_FIELDS.flatMap(([field, of, column]) => {
    const value = update[of];
    if (value === undefined) return [];
    const limits = Array.isArray(value) ? value.length > 0 : value !== null;
    return [{ field, limits, changes: String(value) !== String(row?.[column]) }];
  });

/** Throws `invalid_request` if a member changes what an owner has limited. */
export function updateKey(
  pool: Pool,
  accountId: string,
  id: string,
  update: KeyUpdate,
  by: KeyChanger,
): Promise<KeyRow> {
  const { dailyLimitNano, monthlyLimitNano, requestCostLimitNano, rpmLimit, tpmLimit } = update;
  const limits = [dailyLimitNano, monthlyLimitNano, requestCostLimitNano, rpmLimit, tpmLimit];
  const changed = LIMITS.filter((_, i) => limits[i] !== undefined);
  if (update.expiresAtMs !== undefined) changed.push('expires_at');
  if (update.bareModelNames !== undefined) changed.push('bare_model_names');
  return changeKey(pool, accountId, id, async (client) => {
    const row = await getKey(client, accountId, id);
    return rowsOf<KeyRow>(client, UPDATE, [
      id,
      accountId,
      update.name ?? null,
      update.allowedModels ?? null,
      changed,
      update.expiresAtMs ?? null,
      ...limits.map((limit) => limit ?? null),
      update.bareModelNames ?? null,
      update.noFallbackModels ?? null,
      update.dropUnsupportedTools ?? null,
      update.detailedMessages ?? null,
      update.scopes ?? null,
      update.allowedIps ?? null,
      ownerLimitsAfter(row.owner_limits, limitChanges(update, row), by),
    ]);
  });
}
