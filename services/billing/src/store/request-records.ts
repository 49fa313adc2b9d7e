import { type Pool, withTransaction } from '@gateway/runtime';
import { uuidFloor } from '../domain/request-id';
import { type Parameter, type Queryable, rowsOf, type Statement, statement } from './statement';

export interface RequestRow {
  request_id: string;
  account_id: string;
  key_id: string;
  model: string;
  endpoint: string;
  provider: string;
  status: number;
  error_code: string;
  charged_nano: bigint;
  input_tokens: bigint;
  cache_read_tokens: bigint;
  cache_write_tokens: bigint;
  output_tokens: bigint;
  reasoning_tokens: bigint;
  images: bigint;
  video_ms: bigint;
  streamed: boolean;
  admitted_ms: bigint;
  first_byte_ms: bigint;
  started_at_ms: bigint;
  ended_at_ms: bigint;
}

const COLUMNS = `request_id, account_id, key_id, model, endpoint, provider, status, error_code, charged_nano,
  input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, images, video_ms, streamed,
  admitted_ms, first_byte_ms, billing.epoch_ms(started_at) AS started_at_ms,
  billing.epoch_ms(ended_at) AS ended_at_ms`;

/** What is undefined lets everything pass. */
export interface RequestFilter {
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly keyId?: string;
  readonly model?: string;
  readonly status?: number;
  readonly errorCode?: string;
  readonly end?: 'ok' | 'failed';
}

export interface RequestPage {
  readonly limit: number;
  /** Requests whose ids are below it; undefined on the first page. */
  readonly before: string | undefined;
}

/** Greater than every UUIDv7. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

// Along an index in the order of the page, whatever is guessed of two filters together: the other plans read all that
// they let pass and sort it. And rather much of an index than fewer pages of it and then every row: as the default has
// it, a page of an index costs four times what one of rows does that lie in order.
export const IN_ORDER =
  'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL random_page_cost = 1';

/** Newest first, by the times in the ids: an index has each filter's rows in that order. */
export async function listRequests(
  pool: Pool,
  accountId: string,
  filter: RequestFilter,
  page: RequestPage,
): Promise<{ rows: readonly RequestRow[]; nextCursor: string }> {
  const { statement, values } = pageQuery(accountId, filter, page);
  const found = await withTransaction(pool, async (client) => {
    await client.query(IN_ORDER);
    return rowsOf<RequestRow>(client, statement, values);
  });
  const rows = found.slice(0, page.limit);
  return { rows, nextCursor: found.length > page.limit ? (rows.at(-1)?.request_id ?? '') : '' };
}

/** One row more than the page has, which tells whether there is a next. To be run under `IN_ORDER`. */
export function pageQuery(
  accountId: string,
  filter: RequestFilter,
  { limit, before }: RequestPage,
): { statement: Statement; values: Parameter[] } {
  const below = [before, filter.toMs === undefined ? undefined : uuidFloor(new Date(filter.toMs))];
  const values: Parameter[] = [
    accountId,
    below.reduce<string>((least, id) => (id !== undefined && id < least ? id : least), LAST_ID),
    uuidFloor(new Date(filter.fromMs ?? 0)),
    limit + 1,
  ];
  const conditions: string[] = [];
  const add = (column: string, value: Parameter | undefined) => {
    if (value !== undefined) conditions.push(`${column} = $${values.push(value)}`);
  };
  add('key_id', filter.keyId);
  add('model', filter.model);
  add('error_code', filter.errorCode);
  add('status', filter.status);
  // Let the indexes be used that hold the rarer ones only. A call whose caller left has a status and no error.
  if ((filter.status ?? 200) !== 200) conditions.push('status <> 200');
  if (filter.errorCode !== undefined || filter.end === 'failed') conditions.push(`error_code <> ''`);
  if (filter.end === 'ok') conditions.push(`status < 400 AND error_code = ''`);
  const where = ['account_id = $1', 'request_id < $2', 'request_id >= $3', ...conditions].join(' AND ');
  const page = statement(
    `list-requests ${conditions.join(' ')}`,
    `SELECT ${COLUMNS} FROM billing.usage_records WHERE ${where} ORDER BY request_id DESC LIMIT $4`,
  );
  return { statement: page, values };
}

const FIND = statement(
  'find-request',
  `SELECT ${COLUMNS} FROM billing.usage_records WHERE request_id = $2 AND account_id = $1`,
);

export async function findRequest(
  on: Queryable,
  accountId: string,
  id: string,
): Promise<RequestRow | undefined> {
  const [row] = await rowsOf<RequestRow>(on, FIND, [accountId, id]);
  return row;
}
