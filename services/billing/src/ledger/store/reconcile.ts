import { type Queryable, rowsOf, statement } from '../../store/statement';

/** State of the accounting: `driftNano` and `orphanedHolds` are zero if all is well. */
export interface Reconciliation {
  /** Sum of all differences between figures and the rows that they sum up. */
  readonly driftNano: bigint;
  /** Open holds whose owner has no heartbeats, or has a later epoch. */
  readonly orphanedHolds: bigint;
  readonly openHolds: bigint;
  readonly operatorLossNano: bigint;
  readonly operatorLossNanoByReason: ReadonlyMap<string, bigint>;
  readonly deadLetters: bigint;
}

// One statement, so one snapshot: exact at any time, under any load. Compares for accounts: balance with ledger; held amount with
// open holds; charges with the settled amounts of each kind of window. For windows: held amount with their open holds.
const RECONCILE = statement(
  'reconcile',
  `WITH entries AS (
     SELECT account_id, sum(amount_nano) AS total, -sum(amount_nano) FILTER (WHERE kind = 'charge') AS charged
     FROM billing.ledger GROUP BY account_id
   ), open AS (
     SELECT account_id, key_id, day, sum(amount_nano) AS held, count(*) AS holds
     FROM billing.holds WHERE state = 'open' GROUP BY account_id, key_id, day
   ), open_by_account AS (
     SELECT account_id, sum(held) AS held FROM open GROUP BY account_id
   ), settled AS (
     SELECT account_id, sum(settled_nano) FILTER (WHERE kind = 'key_day') AS key_day,
       sum(settled_nano) FILTER (WHERE kind = 'key_month') AS key_month,
       sum(settled_nano) FILTER (WHERE kind = 'account_day') AS account_day
     FROM billing.spend_windows GROUP BY account_id
   ), account_drift AS (
     SELECT sum(
       abs(coalesce(a.balance_nano, 0) - coalesce(e.total, 0))
       + abs(coalesce(a.held_nano, 0) - coalesce(o.held, 0))
       + abs(coalesce(s.key_day, 0) - coalesce(e.charged, 0))
       + abs(coalesce(s.key_month, 0) - coalesce(e.charged, 0))
       + abs(coalesce(s.account_day, 0) - coalesce(e.charged, 0))) AS nano
     FROM billing.accounts a
     FULL JOIN entries e ON e.account_id = a.id
     FULL JOIN open_by_account o ON o.account_id = coalesce(a.id, e.account_id)
     FULL JOIN settled s ON s.account_id = coalesce(a.id, e.account_id, o.account_id)
   ), open_by_window AS (
     SELECT kind, subject_id, starts_on, sum(held) AS held
     FROM open CROSS JOIN LATERAL (VALUES
       ('key_day', key_id, day),
       ('key_month', key_id, billing.month_of(day)),
       ('account_day', account_id, day)) AS v (kind, subject_id, starts_on)
     GROUP BY kind, subject_id, starts_on
   ), window_drift AS (
     SELECT sum(abs(coalesce(w.held_nano, 0) - coalesce(o.held, 0))) AS nano
     FROM billing.spend_windows w
     FULL JOIN open_by_window o USING (kind, subject_id, starts_on)
   )
   SELECT
     (coalesce((SELECT nano FROM account_drift), 0) + coalesce((SELECT nano FROM window_drift), 0))::text AS drift,
     (SELECT count(*) FROM billing.holds h LEFT JOIN billing.owners o ON o.id = h.owner_id
      WHERE h.state = 'open' AND h.created_at < billing.clock() - $1::bigint * interval '1 millisecond'
        AND (o.id IS NULL OR o.epoch > h.owner_epoch
          OR o.last_seen < billing.clock() - $1::bigint * interval '1 millisecond')) AS orphaned,
     (SELECT coalesce(sum(holds), 0)::bigint FROM open) AS open,
     (SELECT coalesce(jsonb_object_agg(reason, nano), '{}') FROM (
        SELECT reason, sum(amount_nano)::text AS nano FROM billing.operator_losses GROUP BY reason) l) AS losses,
     (SELECT count(*) FROM billing.dead_letters) AS dead`,
);

interface ReconcileRow {
  drift: string;
  orphaned: bigint;
  open: bigint;
  losses: Readonly<Record<string, string>>;
  dead: bigint;
}

/** Silence after which an owner counts as lost, although its holds are kept until the grace is over. */
const LEASE_MS = 60_000;

/** Recomputes every figure from the rows. */
export async function reconcile(on: Queryable, leaseMs = LEASE_MS): Promise<Reconciliation> {
  const [row] = await rowsOf<ReconcileRow>(on, RECONCILE, [leaseMs]);
  if (!row) throw new Error('reconcile answered nothing');
  const losses = new Map(Object.entries(row.losses).map(([reason, nano]) => [reason, BigInt(nano)]));
  return {
    driftNano: BigInt(row.drift),
    orphanedHolds: row.orphaned,
    openHolds: row.open,
    operatorLossNano: [...losses.values()].reduce((sum, nano) => sum + nano, 0n),
    operatorLossNanoByReason: losses,
    deadLetters: row.dead,
  };
}
