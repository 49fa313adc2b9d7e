import { GatewayError } from '@gateway/errors';
import { type Page, type PageRequest, toPage } from '../../store/page';
import { type Queryable, rowsOf, statement } from '../../store/statement';

export interface AccountRow {
  id: string;
  name: string;
  status: 'active' | 'suspended';
  balance_nano: bigint;
  held_nano: bigint;
  daily_limit_nano: bigint | null;
  when_short: 'lower' | 'refuse';
  bare_model_names: boolean;
  preview_models: string[];
  seq: bigint;
  created_at_ms: bigint;
}

/** SQL columns of an `AccountRow`. */
export const ACCOUNT_COLUMNS = `id, name, status, balance_nano, held_nano, daily_limit_nano, when_short, bare_model_names,
  preview_models, seq, billing.epoch_ms(created_at) AS created_at_ms`;

const INSERT = statement(
  'insert-account',
  `INSERT INTO billing.accounts (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`,
);
const GET = statement('get-account', `SELECT ${ACCOUNT_COLUMNS} FROM billing.accounts WHERE id = $1`);

/** Creates the account unless it exists. */
export async function createAccount(on: Queryable, id: string, name: string): Promise<AccountRow> {
  await rowsOf(on, INSERT, [id, name]);
  return getAccount(on, id);
}

/** Throws `not_found`. */
export async function getAccount(on: Queryable, id: string): Promise<AccountRow> {
  const [row] = await rowsOf<AccountRow>(on, GET, [id]);
  if (!row) throw new GatewayError('not_found');
  return row;
}

const LIST = statement(
  'list-accounts',
  `SELECT ${ACCOUNT_COLUMNS} FROM billing.accounts WHERE seq < $1 ORDER BY seq DESC LIMIT $2`,
);
const SEARCH = statement(
  'search-accounts',
  `SELECT ${ACCOUNT_COLUMNS} FROM billing.accounts
   WHERE seq < $1 AND (id = $3 OR id = ANY($4::text[]) OR position(lower($3) in lower(name)) > 0)
   ORDER BY seq DESC LIMIT $2`,
);

export interface AccountSearch {
  /** Part of a name, or a complete id; empty: every account. */
  readonly query: string;
  readonly alsoIds: readonly string[];
}

export async function listAccounts(
  on: Queryable,
  { query, alsoIds }: AccountSearch,
  page: PageRequest,
): Promise<Page<AccountRow>> {
  const window = [page.before, page.limit + 1];
  const rows = query
    ? await rowsOf<AccountRow>(on, SEARCH, [...window, query, alsoIds])
    : await rowsOf<AccountRow>(on, LIST, window);
  return toPage(rows, page.limit);
}
