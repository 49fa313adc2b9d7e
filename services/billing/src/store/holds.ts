import type { CallToAdmit } from '../domain/admission';
import type { RatePlace } from '../domain/rate-limiter';
import type { Hold, HoldState } from '../domain/settlement';
import type { UsageEvent } from '../domain/usage-event';
import { arrayLiteral } from './array-literal';
import { type Queryable, rowsOf, statement } from './statement';

export interface HoldRow {
  request_id: string;
  account_id: string;
  key_id: string;
  state: HoldState;
  amount_nano: bigint;
  day: string;
  tokens: bigint | null;
  rate_second: bigint | null;
  rate_generation: bigint | null;
}

/** What `fromHoldRow` needs of a row of billing.holds h. */
export const HOLD_COLUMNS = `h.request_id, h.account_id, h.key_id, h.state, h.amount_nano, h.day::text,
  h.tokens, h.rate_second, h.rate_generation`;

// A join, since a plan for all values looks up `= ANY` in the index of every month, and this in that of the id's.
const FIND = statement(
  'find-holds',
  `SELECT ${HOLD_COLUMNS} FROM unnest($1::uuid[]) AS asked (id) JOIN billing.holds h ON h.request_id = asked.id`,
);

export async function findHolds(on: Queryable, requestIds: readonly string[]): Promise<Map<string, Hold>> {
  if (requestIds.length === 0) return new Map();
  const rows = await rowsOf<HoldRow>(on, FIND, [requestIds]);
  return new Map(rows.map((row) => [row.request_id, fromHoldRow(row)]));
}

export const fromHoldRow = (row: HoldRow): Hold => ({
  requestId: row.request_id,
  accountId: row.account_id,
  keyId: row.key_id,
  state: row.state,
  amountNano: row.amount_nano,
  day: row.day,
  ...(row.tokens !== null && {
    rates: {
      keyId: row.key_id,
      generation: row.rate_generation ?? 0n,
      second: Number(row.rate_second ?? 0n),
      tokens: row.tokens,
    },
  }),
});

// The figures that grow by a hold are summed from the very rows that are inserted. A sum that names no key is its
// account's. The day is a subquery so that it is worked out once and not for each row.
const INSERT = statement(
  'insert-holds',
  `WITH new AS (
     SELECT *, (SELECT billing.utc_day(billing.clock())) AS day
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::boolean[],
       $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
       AS n (request_id, account_id, key_id, model, owner_id, owner_epoch, makes_task, amount_nano, tokens,
         rate_second, rate_generation)
   ), inserted AS (
     INSERT INTO billing.holds (request_id, account_id, key_id, model, owner_id, owner_epoch, amount_nano, day,
       tokens, rate_second, rate_generation, makes_task)
     SELECT request_id, account_id, key_id, model, owner_id, owner_epoch, amount_nano, day,
       tokens, rate_second, rate_generation, makes_task FROM new
   ), sums AS (
     SELECT account_id, key_id, day, sum(amount_nano)::bigint AS amount_nano
     FROM new GROUP BY GROUPING SETS ((account_id, key_id, day), (account_id, day))
   ), counted AS (
     UPDATE billing.accounts a SET held_nano = a.held_nano + n.amount_nano
     FROM sums n WHERE n.key_id IS NULL AND a.id = n.account_id
   )
   INSERT INTO billing.spend_windows AS w (kind, subject_id, starts_on, account_id, held_nano)
   SELECT kind, subject_id, starts_on, account_id, amount_nano
   FROM sums CROSS JOIN LATERAL (VALUES
     ('key_day', key_id, day),
     ('key_month', key_id, billing.month_of(day)),
     ('account_day', CASE WHEN key_id IS NULL THEN account_id END, day)) AS v (kind, subject_id, starts_on)
   WHERE subject_id IS NOT NULL
   ON CONFLICT (kind, subject_id, starts_on) DO UPDATE SET held_nano = w.held_nano + excluded.held_nano`,
);

/** What holds take from their calls, whatever the amounts that are held. */
export const callColumns = (calls: readonly CallToAdmit[]): readonly string[] =>
  [
    calls.map((call) => call.requestId),
    calls.map((call) => call.accountId),
    calls.map((call) => call.keyId),
    calls.map((call) => call.model),
    calls.map((call) => call.ownerId),
    calls.map((call) => call.ownerEpoch),
    calls.map((call) => call.makesTask),
  ].map(arrayLiteral);

/**
 * Writes holds of locked accounts and counts them in the accounts and windows.
 * @param columns `callColumns` of the calls of exactly these holds, in their order, if they are made already
 */
export function insertHolds(
  on: Queryable,
  holds: readonly { call: CallToAdmit; holdNano: bigint; place?: RatePlace | undefined }[],
  columns = callColumns(holds.map(({ call }) => call)),
): Promise<unknown> {
  return rowsOf(on, INSERT, [
    ...columns,
    holds.map(({ holdNano }) => holdNano),
    holds.map(({ place }) => place?.tokens ?? null),
    holds.map(({ place }) => place?.second ?? null),
    holds.map(({ place }) => place?.generation ?? null),
  ]);
}

const ENTOMB = statement(
  'insert-tombstones',
  `INSERT INTO billing.holds
     (request_id, account_id, key_id, model, owner_id, owner_epoch, state, amount_nano, day, ended_at)
   SELECT request_id, account_id, key_id, model, '', 0, 'released', 0, billing.utc_day(billing.clock()),
     billing.clock()
   FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS t (request_id, account_id, key_id, model)`,
);

/**
 * Marks calls as released that have no hold. An owner that got no answer to its `Reserve` releases the
 * call; should the hold's transaction still be on its way, it must find that it came too late.
 */
export function insertTombstones(on: Queryable, events: readonly UsageEvent[]): Promise<unknown> {
  return rowsOf(on, ENTOMB, [
    events.map((event) => event.requestId),
    events.map((event) => event.accountId),
    events.map((event) => event.keyId),
    events.map((event) => event.model),
  ]);
}

export interface OpenHold {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
}

const LIST_OPEN = statement(
  'list-open-holds',
  `SELECT request_id, account_id, key_id, model FROM billing.holds
   WHERE state = 'open' AND owner_id = $1 AND owner_epoch < $2
   ORDER BY request_id LIMIT $3`,
);

/** Open holds of an owner's earlier lives, oldest first. */
export async function listOpenHolds(
  on: Queryable,
  ownerId: string,
  beforeEpoch: bigint,
  limit: number,
): Promise<OpenHold[]> {
  const rows = await rowsOf<{ request_id: string; account_id: string; key_id: string; model: string }>(
    on,
    LIST_OPEN,
    [ownerId, beforeEpoch, limit],
  );
  return rows.map((row) => ({
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
  }));
}
