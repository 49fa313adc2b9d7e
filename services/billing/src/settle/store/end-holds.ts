import { applyMoneyChanges } from '../../ledger/store/apply-money-changes';
import { insertCharges } from '../../ledger/store/insert-charges';
import { rowsOf, statement } from '../../store/statement';
import type { StatementBatch } from '../../store/statement-batch';
import { ifAny } from '../../store/two-round-trip-transaction';
import type { HoldEnd } from '../rules/charge-hold';

const END = statement(
  'end-holds',
  `UPDATE billing.holds h
   SET state = e.state, charged_nano = e.charged_nano, ended_at = billing.clock(),
     tokens = CASE WHEN h.tokens IS NOT NULL THEN coalesce(e.used_tokens, h.tokens) END
   FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS e (request_id, state, charged_nano, used_tokens)
   WHERE h.request_id = e.request_id`,
);

const LOSE = statement(
  'insert-losses',
  `INSERT INTO billing.operator_losses (request_id, account_id, reason, amount_nano)
   SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[])`,
);

/** Writes the ends of holds of locked accounts: holds, accounts, windows, ledger, operator losses. */
export function endHolds(on: StatementBatch, ends: readonly HoldEnd[]): Promise<unknown> {
  const changes = ends.map(({ hold: { accountId, keyId, day }, freedNano, chargedNano }) => ({
    accountId,
    keyId,
    day,
    heldNano: -freedNano,
    settledNano: chargedNano,
  }));
  const charged = ends.filter(({ chargedNano }) => chargedNano > 0n);
  const lost = ends.filter(({ lossNano }) => lossNano !== 0n);
  return Promise.all([
    rowsOf(on, END, [
      ends.map(({ hold }) => hold.requestId),
      ends.map(({ state }) => state),
      ends.map(({ chargedNano }) => chargedNano),
      ends.map(({ usedTokens }) => usedTokens),
    ]),
    applyMoneyChanges(on, changes),
    ...ifAny(charged, (list) => insertCharges(on, list)),
    ...ifAny(lost, (list) =>
      rowsOf(on, LOSE, [
        list.map(({ hold }) => hold.requestId),
        list.map(({ hold }) => hold.accountId),
        list.map(({ lossReason }) => lossReason),
        list.map(({ lossNano }) => lossNano),
      ]),
    ),
  ]);
}
