import type { Pool } from '@gateway/postgres';
import { applyMoneyChanges } from '../../ledger/store/apply-money-changes';
import type { RateReservation } from '../../rates/rules/rate-limiter';
import type { Hold, HoldState } from '../../settle/rules/charge-hold';
import type { UsageEvent } from '../../settle/rules/usage-event';
import { arrayLiteral } from '../../store/array-literal';
import { type Queryable, rowsOf, statement } from '../../store/statement';
import type { StatementBatch } from '../../store/statement-batch';
import type { CallToAdmit } from '../rules/admission';

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

/** SQL columns for `fromHoldRow` of a row h of billing.holds. */
export const HOLD_COLUMNS = `h.request_id, h.account_id, h.key_id, h.state, h.amount_nano,
  to_char(h.day, 'YYYY-MM-DD') AS day, h.tokens, h.rate_second, h.rate_generation`;

// A join, because a generic plan looks up `= ANY` in the index of every month, and this only in that of the id's month.
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
      bucket: Number(row.rate_second ?? 0n),
      tokens: row.tokens,
    },
  }),
});

// The calls of a batch have much in common: a group number per call is shorter than repeating the group's columns.
const INSERT = statement(
  'insert-holds',
  `INSERT INTO billing.holds (request_id, account_id, key_id, model, owner_id, owner_epoch, makes_task, task_id,
     endpoint, day, amount_nano, tokens, rate_second, rate_generation)
   SELECT request_id, ($3::text[])[grp], ($4::text[])[grp], ($5::text[])[grp], ($6::text[])[grp],
     ($7::bigint[])[grp], ($8::boolean[])[grp], ($9::text[])[grp], ($10::text[])[grp], $11::date, amount_nano,
     tokens, rate_second, rate_generation
   FROM unnest($1::uuid[], $2::int[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[])
     AS h (request_id, grp, amount_nano, tokens, rate_second, rate_generation)`,
);

/** Columns of holds that come from their calls and not from the held amounts. */
export function callColumns(calls: readonly CallToAdmit[]): readonly string[] {
  /** The first call of each group. */
  const groups: CallToAdmit[] = [];
  // Similar calls are usually adjacent; two groups with the same columns do no harm.
  const groupOf = calls.map((call) => {
    const last = groups.at(-1);
    return last && isOfGroup(call, last) ? groups.length : groups.push(call);
  });
  return [
    calls.map((call) => call.requestId),
    groupOf,
    groups.map((call) => call.accountId),
    groups.map((call) => call.keyId),
    groups.map((call) => call.model),
    groups.map((call) => call.ownerId),
    groups.map((call) => call.ownerEpoch),
    groups.map((call) => call.makesTask),
    groups.map((call) => call.taskId),
    groups.map((call) => call.endpoint),
  ].map(arrayLiteral);
}

const isOfGroup = (call: CallToAdmit, other: CallToAdmit): boolean =>
  call.accountId === other.accountId &&
  call.keyId === other.keyId &&
  call.model === other.model &&
  call.ownerId === other.ownerId &&
  call.ownerEpoch === other.ownerEpoch &&
  call.makesTask === other.makesTask &&
  call.taskId === other.taskId &&
  call.endpoint === other.endpoint;

export interface NewHold {
  readonly call: CallToAdmit;
  readonly holdNano: bigint;
  readonly reservation: RateReservation | undefined;
}

/**
 * Writes holds of locked accounts and adds them to the accounts and windows.
 * @param day UTC day of admission
 * @param columns `callColumns` of the calls of exactly these holds, in order, if they have been computed already
 */
export function insertHolds(
  on: StatementBatch,
  holds: readonly NewHold[],
  day: string,
  columns = callColumns(holds.map(({ call }) => call)),
): Promise<unknown> {
  const changes = holds.map(({ call: { accountId, keyId }, holdNano }) => ({
    accountId,
    keyId,
    day,
    heldNano: holdNano,
    settledNano: 0n,
  }));
  return Promise.all([
    rowsOf(on, INSERT, [
      ...columns,
      day,
      holds.map(({ holdNano }) => holdNano),
      holds.map(({ reservation }) => reservation?.tokens ?? null),
      holds.map(({ reservation }) => reservation?.bucket ?? null),
      holds.map(({ reservation }) => reservation?.generation ?? null),
    ]),
    applyMoneyChanges(on, changes),
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
 * Marks calls without a hold as released. An owner without a reply to its `Reserve` releases the call; if the transaction of the
 * hold is still in progress, it must find the mark.
 */
export function insertTombstones(on: Queryable, events: readonly UsageEvent[]): Promise<unknown> {
  return rowsOf(on, ENTOMB, [
    events.map((event) => event.requestId),
    events.map((event) => event.accountId),
    events.map((event) => event.keyId),
    events.map((event) => event.model),
  ]);
}

/**
 * Marks the call as released if it has no hold, and returns its hold's state and what was charged from it; undefined if it is
 * another account's.
 */
export async function closeCall(
  pool: Pool,
  { requestId, accountId, keyId }: Pick<OpenHold, 'requestId' | 'accountId' | 'keyId'>,
): Promise<{ state: HoldState; chargedNano: bigint } | undefined> {
  // A reservation in progress is waited for, because it has the same primary key.
  await pool.query(
    `INSERT INTO billing.holds
       (request_id, account_id, key_id, model, owner_id, owner_epoch, state, amount_nano, day, ended_at)
     SELECT $1, $2, $3, '', '', 0, 'released', 0, billing.utc_day(billing.clock()), billing.clock()
     ON CONFLICT DO NOTHING`,
    [requestId, accountId, keyId],
  );
  const { rows } = await pool.query<{ state: HoldState; charged_nano: bigint }>(
    'SELECT state, charged_nano FROM billing.holds WHERE request_id = $1 AND account_id = $2',
    [requestId, accountId],
  );
  return rows[0] && { state: rows[0].state, chargedNano: rows[0].charged_nano };
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

/** Returns open holds of an owner's earlier epochs, oldest first. */
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
