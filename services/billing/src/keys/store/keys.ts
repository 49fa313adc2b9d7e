import { GatewayError } from '@gateway/errors';
import { type Pool, withTransaction } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { type Page, type PageRequest, toPage } from '../../store/page';
import { type Queryable, rowsOf, statement } from '../../store/statement';

export type KeyStatus = 'enabled' | 'disabled' | 'deleted' | 'revoked';

export interface KeyRow {
  id: string;
  seq: bigint;
  account_id: string;
  name: string;
  status: KeyStatus;
  expires_at_ms: bigint | null;
  allowed_models: string[];
  daily_limit_nano: bigint | null;
  monthly_limit_nano: bigint | null;
  request_cost_limit_nano: bigint | null;
  rpm_limit: bigint | null;
  tpm_limit: bigint | null;
  /** Null: the account's setting applies. */
  bare_model_names: boolean | null;
  no_fallback_models: boolean;
  drop_unsupported_tools: boolean;
  detailed_messages: boolean;
  /** Empty: everything. */
  scopes: string[];
  /** Empty: every address. */
  allowed_ips: string[];
  /** Fields that members can't change. */
  owner_limits: string[];
  /** Users to whom a value was shown that may still be valid. */
  holder_ids: string[];
  hint: string;
  created_at_ms: bigint;
  revoked_at_ms: bigint | null;
  revoke_reason: string | null;
}

/** A key to be created. */
export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly mac: Buffer;
  readonly hint: string;
  readonly expiresAtMs: bigint | null;
  readonly allowedModels: readonly string[];
  readonly dailyLimitNano: bigint | null;
  readonly monthlyLimitNano: bigint | null;
  readonly requestCostLimitNano: bigint | null;
  readonly rpmLimit: bigint | null;
  readonly tpmLimit: bigint | null;
  readonly bareModelNames: boolean | null;
  readonly noFallbackModels: boolean;
  readonly dropUnsupportedTools: boolean;
  readonly detailedMessages: boolean;
  readonly scopes: readonly string[];
  readonly allowedIps: readonly string[];
  readonly ownerLimits: readonly string[];
  readonly holderIds: readonly string[];
}

/** SQL columns of a `KeyRow`. */
export const KEY_COLUMNS = `id, seq, account_id, name, status, billing.epoch_ms(expires_at) AS expires_at_ms, allowed_models,
  daily_limit_nano, monthly_limit_nano, request_cost_limit_nano, rpm_limit, tpm_limit, bare_model_names,
  no_fallback_models, drop_unsupported_tools, detailed_messages, scopes, allowed_ips, owner_limits, holder_ids, hint,
  billing.epoch_ms(created_at) AS created_at_ms, billing.epoch_ms(revoked_at) AS revoked_at_ms, revoke_reason`;

const INSERT = statement(
  'insert-key',
  `WITH new AS (
     INSERT INTO billing.keys (id, account_id, name, expires_at, allowed_models, daily_limit_nano,
       monthly_limit_nano, request_cost_limit_nano, rpm_limit, tpm_limit, hint, bare_model_names, no_fallback_models,
       drop_unsupported_tools, detailed_messages, scopes, allowed_ips, owner_limits, holder_ids)
     SELECT $1, id, $3, to_timestamp($4::bigint / 1000.0), $5, $6, $7, $8, $9, $10, $11, $13::boolean, $14::boolean,
       $15::boolean, $16::boolean, $17, $18, $19, $20
     FROM billing.accounts WHERE id = $2
     RETURNING *
   ), value AS (
     INSERT INTO billing.key_values (mac, key_id) SELECT $12, id FROM new
   )
   SELECT ${KEY_COLUMNS} FROM new`,
);

/** Each key is a row that is kept forever. Accounts that already have more keep them. */
const MAX_KEYS = 1_000;
const COUNT = statement(
  'count-keys',
  `SELECT count(*) AS kept FROM billing.keys WHERE account_id = $1 AND status <> 'deleted'`,
);

/** Throws `not_found` for an unknown account, `invalid_request` if it has too many keys. */
export function insertKey(pool: Pool, key: NewKey): Promise<KeyRow> {
  return withTransaction(pool, async (client) => {
    // Counted under the lock, because two concurrent calls could both create the last key.
    await lockAccounts(client, [key.accountId]);
    const [count] = await rowsOf<{ kept: bigint }>(client, COUNT, [key.accountId]);
    if (Number(count?.kept) >= MAX_KEYS)
      throw new GatewayError('invalid_request', {
        detail: `an account has at most ${MAX_KEYS} keys; delete one`,
      });
    const [row] = await rowsOf<KeyRow>(client, INSERT, [
      key.id,
      key.accountId,
      key.name,
      key.expiresAtMs,
      key.allowedModels,
      key.dailyLimitNano,
      key.monthlyLimitNano,
      key.requestCostLimitNano,
      key.rpmLimit,
      key.tpmLimit,
      key.hint,
      key.mac,
      key.bareModelNames,
      key.noFallbackModels,
      key.dropUnsupportedTools,
      key.detailedMessages,
      key.scopes,
      key.allowedIps,
      key.ownerLimits,
      key.holderIds,
    ]);
    if (!row) throw new GatewayError('not_found');
    return row;
  });
}

const GET = statement(
  'get-key',
  `SELECT ${KEY_COLUMNS} FROM billing.keys WHERE id = $1 AND account_id = $2 AND status <> 'deleted'`,
);

/** Throws the same `not_found` for an unknown, a deleted and another account's key. */
export async function getKey(on: Queryable, accountId: string, id: string): Promise<KeyRow> {
  const [row] = await rowsOf<KeyRow>(on, GET, [id, accountId]);
  if (!row) throw new GatewayError('not_found');
  return row;
}

const FIND_ACCOUNT = statement('find-account-of-key', 'SELECT account_id FROM billing.keys WHERE id = $1');

/** Returns the account of a key, deleted keys included; undefined for an unknown key. */
export async function findAccountOfKey(on: Queryable, id: string): Promise<string | undefined> {
  const [row] = await rowsOf<{ account_id: string }>(on, FIND_ACCOUNT, [id]);
  return row?.account_id;
}

const LIST = statement(
  'list-keys',
  `SELECT ${KEY_COLUMNS} FROM billing.keys
   WHERE account_id = $1 AND status <> 'deleted' AND seq < $2 AND ($4::text[] = '{}' OR holder_ids && $4)
   ORDER BY seq DESC LIMIT $3`,
);

/** @param holderIds only keys with one of these holders; empty: every key */
export async function listKeys(
  on: Queryable,
  accountId: string,
  page: PageRequest,
  holderIds: readonly string[] = [],
): Promise<Page<KeyRow>> {
  const rows = await rowsOf<KeyRow>(on, LIST, [accountId, page.before, page.limit + 1, holderIds]);
  return toPage(rows, page.limit);
}

/**
 * Returns an id of a key's value for use where the value must not be: the start of its MAC, which needs no column, never changes,
 * and can't be used to find a key.
 */
export const VALUE_ID = `encode(substring(mac FOR 8), 'hex')`;

/** A key with one of its values. */
export interface ResolvedKeyRow {
  id: string;
  value_id: string;
  account_id: string;
  status: KeyStatus;
  account_status: 'active' | 'suspended';
  allowed_models: string[];
  preview_models: string[];
  bare_model_names: boolean;
  no_fallback_models: boolean;
  drop_unsupported_tools: boolean;
  detailed_messages: boolean;
  scopes: string[];
  allowed_ips: string[];
  expires_at_ms: bigint | null;
  retires_at_ms: bigint | null;
  has_tpm_limit: boolean;
  now_ms: bigint;
}

const RESOLVED_COLUMNS = `k.id, k.account_id, k.status, a.status AS account_status, k.allowed_models, a.preview_models,
  coalesce(k.bare_model_names, a.bare_model_names) AS bare_model_names, k.no_fallback_models,
  k.drop_unsupported_tools, k.detailed_messages, k.scopes, k.allowed_ips,
  billing.epoch_ms(k.expires_at) AS expires_at_ms, billing.epoch_ms(v.retires_at) AS retires_at_ms,
  k.tpm_limit IS NOT NULL AS has_tpm_limit, billing.epoch_ms(billing.clock()) AS now_ms`;

const RESOLVE = statement(
  'resolve-key',
  `SELECT ${RESOLVED_COLUMNS}, ${VALUE_ID} AS value_id
   FROM billing.key_values v
   JOIN billing.keys k ON k.id = v.key_id
   JOIN billing.accounts a ON a.id = k.account_id
   WHERE v.mac = $1`,
);

/** Finds a key by the MACs of one value, one under each pepper in use. */
export async function findKeyByMacs(
  on: Queryable,
  macs: readonly Buffer[],
): Promise<ResolvedKeyRow | undefined> {
  // One after the other, and the current pepper first: PostgreSQL would plan a query with `= ANY` each time, which takes three times as
  // long as to execute it.
  for (const mac of macs) {
    const [row] = await rowsOf<ResolvedKeyRow>(on, RESOLVE, [mac]);
    if (row) return row;
  }
  return undefined;
}

const FIND_ANY = statement(
  'find-any-key',
  `SELECT ${KEY_COLUMNS}, billing.epoch_ms(v.retires_at) AS retires_at_ms
   FROM (SELECT key_id, retires_at FROM billing.key_values WHERE mac = ANY($1::bytea[])) v
   JOIN billing.keys ON id = v.key_id`,
);

/** The same with all columns of the key, whatever its status. */
export async function findAnyKeyByMacs(
  on: Queryable,
  macs: readonly Buffer[],
): Promise<(KeyRow & { retires_at_ms: bigint | null }) | undefined> {
  const [row] = await rowsOf<KeyRow & { retires_at_ms: bigint | null }>(on, FIND_ANY, [macs]);
  return row;
}

const RESOLVE_KNOWN = statement(
  'resolve-known-key',
  `SELECT ${RESOLVED_COLUMNS}, $3::text AS value_id
   FROM billing.keys k
   JOIN billing.accounts a ON a.id = k.account_id
   LEFT JOIN billing.key_values v ON v.key_id = k.id AND ${VALUE_ID} = $3
   WHERE k.id = $1 AND k.account_id = $2 AND ($3 = '' OR v.mac IS NOT NULL)`,
);

/** Finds a key that was resolved before; undefined if it no longer has that value. Empty `valueId`: any value. */
export async function findKnownKey(
  on: Queryable,
  accountId: string,
  id: string,
  valueId: string,
): Promise<ResolvedKeyRow | undefined> {
  const [row] = await rowsOf<ResolvedKeyRow>(on, RESOLVE_KNOWN, [id, accountId, valueId]);
  return row;
}
