import { createHash } from 'node:crypto';
import { type Pool, withTransaction } from '@gateway/postgres';
import { uuidFloor } from '../../reserve/rules/request-id';
import { type Parameter, type Queryable, rowsOf, type Statement, statement } from '../../store/statement';

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
  task_id: string;
  /** A task that has not ended: its only figure is its hold. */
  in_progress: boolean;
  held_nano: bigint;
  provider_cost_nano: bigint | null;
  requested_model: string | null;
  units: Record<string, number> | null;
}

export const RECORD_COLUMNS = `request_id, account_id, key_id, model, endpoint, provider, status, error_code, charged_nano,
  input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, images, video_ms, streamed,
  admitted_ms, first_byte_ms, billing.epoch_ms(started_at) AS started_at_ms,
  billing.epoch_ms(ended_at) AS ended_at_ms, task_id, false AS in_progress, 0::bigint AS held_nano,
  provider_cost_nano, requested_model, units`;

/** The same columns from the hold of a running task. */
const RUNNING_COLUMNS = `request_id, account_id, key_id, model, endpoint, '' AS provider, 0 AS status, '' AS error_code,
  0::bigint AS charged_nano, 0::bigint AS input_tokens, 0::bigint AS cache_read_tokens,
  0::bigint AS cache_write_tokens, 0::bigint AS output_tokens, 0::bigint AS reasoning_tokens, 0::bigint AS images,
  0::bigint AS video_ms, false AS streamed, 0::bigint AS admitted_ms, 0::bigint AS first_byte_ms,
  0::bigint AS started_at_ms, 0::bigint AS ended_at_ms, task_id, true AS in_progress, amount_nano AS held_nano,
  NULL::bigint AS provider_cost_nano, NULL AS requested_model,
  NULL::jsonb AS units`;
export const IS_RUNNING = `state = 'open' AND makes_task`;

/** Undefined filters match everything. */
export interface RequestFilter {
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly keyId?: string;
  readonly model?: string;
  readonly status?: number;
  readonly errorCode?: string;
  readonly end?: 'ok' | 'failed' | 'in_progress';
}

export interface RequestPage {
  readonly limit: number;
  /** Requests with smaller ids; undefined on the first page. */
  readonly before: string | undefined;
}

/** Greater than every UUIDv7. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

// Uses an index in the order of the page, whatever the estimate for two combined filters: other plans read and sort all matching
// rows. And rather much of an index than few of its pages followed by every row: by default the planner assumes that an index page
// costs four times as much as a page of rows in order.
export const IN_ORDER =
  'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL random_page_cost = 1';

/**
 * Newest first, by the times in the ids: for each filter an index has the rows of an account in that order, and another one the
 * failed requests of all accounts.
 * @param accountId undefined: all accounts
 */
export async function listRequests(
  pool: Pool,
  accountId: string | undefined,
  filter: RequestFilter,
  page: RequestPage,
): Promise<{ rows: readonly RequestRow[]; nextCursor: string }> {
  const mayBe =
    filter.end !== 'in_progress' || (filter.errorCode === undefined && filter.status === undefined);
  if (!mayBe) return { rows: [], nextCursor: '' };
  const { statement, values } = pageQuery(accountId, filter, page);
  const found = await withTransaction(pool, async (client) => {
    await client.query(IN_ORDER);
    return rowsOf<RequestRow>(client, statement, values);
  });
  const rows = found.slice(0, page.limit);
  return { rows, nextCursor: found.length > page.limit ? (rows.at(-1)?.request_id ?? '') : '' };
}

/**
 * Returns one row more than the page has, which shows whether there is a next page. Run under `IN_ORDER`. A task moves from its
 * hold to its record in one transaction and keeps its id, so no page misses it or has it twice.
 */
export function pageQuery(
  accountId: string | undefined,
  filter: RequestFilter,
  { limit, before }: RequestPage,
): { statement: Statement; values: Parameter[] } {
  const below = [before, filter.toMs === undefined ? undefined : uuidFloor(new Date(filter.toMs))];
  const values: Parameter[] = [
    below.reduce<string>((least, id) => (id !== undefined && id < least ? id : least), LAST_ID),
    uuidFloor(new Date(filter.fromMs ?? 0)),
    limit + 1,
  ];
  const equal = (columns: Readonly<Record<string, Parameter | undefined>>): string[] =>
    Object.entries(columns).flatMap(([column, value]) =>
      value === undefined ? [] : [`${column} = $${values.push(value)}`],
    );
  const { keyId, model, errorCode, status, end } = filter;
  const ofAny = [
    'request_id < $1',
    'request_id >= $2',
    ...equal({ account_id: accountId, key_id: keyId, model }),
  ];
  const ofEnded = [
    ...equal({ error_code: errorCode, status }),
    // Makes the indexes of rare rows usable. A call whose client disconnected has a status and no error.
    ...((status ?? 200) !== 200 ? ['status <> 200'] : []),
    ...(errorCode !== undefined || end === 'failed' ? [`error_code <> ''`] : []),
    ...(end === 'ok' ? [`status < 400 AND error_code = ''`] : []),
  ];
  const ended = `SELECT ${RECORD_COLUMNS} FROM billing.usage_records
    WHERE ${[...ofAny, ...ofEnded].join(' AND ')} ORDER BY request_id DESC LIMIT $3`;
  const running = `SELECT ${RUNNING_COLUMNS} FROM billing.holds
    WHERE ${[...ofAny, IS_RUNNING].join(' AND ')} ORDER BY request_id DESC LIMIT $3`;
  const either = `SELECT * FROM ((${ended}) UNION ALL (${running})) AS calls ORDER BY request_id DESC LIMIT $3`;
  const text = end === 'in_progress' ? running : ofEnded.length > 0 ? ended : either;
  // PostgreSQL truncates longer names.
  const name = `list-requests-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  return { statement: statement(name, text), values };
}

const FIND = statement(
  'find-request',
  `SELECT ${RECORD_COLUMNS} FROM billing.usage_records WHERE request_id = $2 AND account_id = $1
   UNION ALL
   SELECT ${RUNNING_COLUMNS} FROM billing.holds WHERE request_id = $2 AND account_id = $1 AND ${IS_RUNNING}`,
);

export async function findRequest(
  on: Queryable,
  accountId: string,
  id: string,
): Promise<RequestRow | undefined> {
  const [row] = await rowsOf<RequestRow>(on, FIND, [accountId, id]);
  return row;
}
