-- Losses that an event names itself: what a call may have cost beyond its charge.
ALTER TABLE billing.operator_losses
  DROP CONSTRAINT operator_losses_reason_check,
  ADD CONSTRAINT operator_losses_reason_check CHECK (reason IN
    ('over_hold', 'lost', 'expired', 'late_final', 'abandoned', 'usage_unknown', 'owner_killed')) NOT VALID;
CREATE INDEX operator_losses_by_account ON billing.operator_losses (account_id, seq DESC);

-- Cost of the calls that an account abandoned, by the minute. Rows older than an hour count no more and are deleted.
CREATE TABLE billing.abandoned_costs (
  account_id text NOT NULL,
  minute timestamptz NOT NULL,
  amount_nano bigint NOT NULL,
  PRIMARY KEY (account_id, minute)
) WITH (fillfactor = 50);

-- Until when the cost of its abandoned calls keeps the account from new ones. Computed when such a cost is booked, so
-- that admission reads nothing but the row that it locks anyway.
ALTER TABLE billing.accounts ADD COLUMN limited_until timestamptz;
