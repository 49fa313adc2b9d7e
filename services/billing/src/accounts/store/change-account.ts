import { GatewayError } from '@gateway/errors';
import { type Pool, withTransaction } from '@gateway/postgres';
import { notifyKeys } from '../../keys/store/notify-keys';
import { type Parameter, rowsOf, type Statement, statement } from '../../store/statement';
import { ACCOUNT_COLUMNS, type AccountRow } from './accounts';
import { lockAccounts } from './lock-accounts';

/** Changes an account under its lock and invalidates the cached keys. Throws `not_found`. */
function changeAccount(pool: Pool, id: string, change: Statement, values: Parameter[]): Promise<AccountRow> {
  return withTransaction(pool, async (client) => {
    await lockAccounts(client, [id]);
    const [row] = await rowsOf<AccountRow>(client, change, [id, ...values]);
    if (!row) throw new GatewayError('not_found');
    await notifyKeys(client, { keyIds: [], accountIds: [id] });
    return row;
  });
}

const SET_STATUS = statement(
  'set-account-status',
  `UPDATE billing.accounts SET status = $2 WHERE id = $1 RETURNING ${ACCOUNT_COLUMNS}`,
);

export const setAccountSuspended = (pool: Pool, id: string, suspended: boolean): Promise<AccountRow> =>
  changeAccount(pool, id, SET_STATUS, [suspended ? 'suspended' : 'active']);

/** Undefined keeps a limit, null removes it. */
export interface AccountLimits {
  readonly dailyLimitNano: bigint | null | undefined;
  readonly insufficientFundsPolicy: 'lower' | 'refuse' | undefined;
  readonly bareModelNames: boolean | undefined;
}

const SET_LIMITS = statement(
  'set-account-limits',
  `UPDATE billing.accounts SET daily_limit_nano = CASE WHEN $2 THEN $3::bigint ELSE daily_limit_nano END,
     when_short = coalesce($4, when_short), bare_model_names = coalesce($5, bare_model_names)
   WHERE id = $1 RETURNING ${ACCOUNT_COLUMNS}`,
);

export const updateAccountLimits = (pool: Pool, id: string, limits: AccountLimits): Promise<AccountRow> =>
  changeAccount(pool, id, SET_LIMITS, [
    limits.dailyLimitNano !== undefined,
    limits.dailyLimitNano ?? null,
    limits.insufficientFundsPolicy ?? null,
    limits.bareModelNames ?? null,
  ]);

const MAX_PREVIEW_MODELS = 500;
const OPT_IN = statement(
  'opt-in',
  `UPDATE billing.accounts SET preview_models = CASE
       WHEN $2 = ANY(preview_models) OR cardinality(preview_models) >= ${MAX_PREVIEW_MODELS} THEN preview_models
       ELSE preview_models || $2 END
   WHERE id = $1 RETURNING ${ACCOUNT_COLUMNS}`,
);

/** Idempotent. Throws `invalid_request` if there are too many. */
export async function optIn(pool: Pool, id: string, model: string): Promise<AccountRow> {
  const row = await changeAccount(pool, id, OPT_IN, [model]);
  if (row.preview_models.includes(model)) return row;
  throw new GatewayError('invalid_request', { detail: 'too many preview models' });
}
