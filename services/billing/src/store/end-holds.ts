import type { HoldEnd } from '../domain/settlement';
import { type Queryable, rowsOf, statement } from './statement';

// Everything that an end of holds changes in money, summed from the same rows.
const END = statement(
  'end-holds',
  `WITH ended AS (
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::date[], $5::text[], $6::bigint[], $7::bigint[],
         $8::bigint[], $9::text[], $10::bigint[])
       AS e (request_id, account_id, key_id, day, state, freed_nano, charged_nano, loss_nano, loss_reason,
         used_tokens)
   ), holds AS (
     UPDATE billing.holds h
     SET state = e.state, charged_nano = e.charged_nano, ended_at = billing.clock(),
       tokens = CASE WHEN h.tokens IS NOT NULL THEN coalesce(e.used_tokens, h.tokens) END
     FROM ended e WHERE h.request_id = e.request_id
   ), accounts AS (
     UPDATE billing.accounts a
     SET balance_nano = a.balance_nano - e.charged_nano, held_nano = a.held_nano - e.freed_nano
     FROM (SELECT account_id, sum(freed_nano)::bigint AS freed_nano, sum(charged_nano)::bigint AS charged_nano
           FROM ended GROUP BY account_id) e
     WHERE a.id = e.account_id
   ), windows AS (
     UPDATE billing.spend_windows w
     SET held_nano = w.held_nano - e.freed_nano, settled_nano = w.settled_nano + e.charged_nano
     FROM (
       SELECT kind, subject_id, starts_on, sum(freed_nano)::bigint AS freed_nano,
         sum(charged_nano)::bigint AS charged_nano
       FROM ended CROSS JOIN LATERAL (VALUES
         ('key_day', key_id, day),
         ('key_month', key_id, billing.month_of(day)),
         ('account_day', account_id, day)) AS v (kind, subject_id, starts_on)
       GROUP BY kind, subject_id, starts_on
     ) e
     WHERE w.kind = e.kind AND w.subject_id = e.subject_id AND w.starts_on = e.starts_on
   ), entries AS (
     INSERT INTO billing.ledger (account_id, kind, amount_nano, reference)
     SELECT account_id, 'charge', -charged_nano, request_id::text FROM ended WHERE charged_nano > 0
   )
   INSERT INTO billing.operator_losses (request_id, account_id, reason, amount_nano)
   SELECT request_id, account_id, loss_reason, loss_nano FROM ended WHERE loss_nano <> 0`,
);

/** Writes the ends of holds of locked accounts: holds, accounts, windows, ledger, operator losses. */
export function endHolds(on: Queryable, ends: readonly HoldEnd[]): Promise<unknown> {
  return rowsOf(on, END, [
    ends.map(({ hold }) => hold.requestId),
    ends.map(({ hold }) => hold.accountId),
    ends.map(({ hold }) => hold.keyId),
    ends.map(({ hold }) => hold.day),
    ends.map((end) => end.state),
    ends.map((end) => end.freedNano),
    ends.map((end) => end.chargedNano),
    ends.map((end) => end.lossNano),
    ends.map((end) => end.lossReason),
    ends.map((end) => end.usedTokens),
  ]);
}
