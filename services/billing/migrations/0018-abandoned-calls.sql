-- Losses given by the event: what a call may have cost in excess of its charge.
ALTER TABLE billing.operator_losses
  DROP CONSTRAINT operator_losses_reason_check,
  ADD CONSTRAINT operator_losses_reason_check CHECK (reason IN
    ('over_hold', 'lost', 'expired', 'late_final', 'abandoned', 'usage_unknown', 'owner_killed')) NOT VALID;
CREATE INDEX operator_losses_by_account ON billing.operator_losses (account_id, seq DESC);

-- Cost of an account's abandoned calls per minute. Rows older than an hour no longer count and are deleted.
CREATE TABLE billing.abandoned_costs (
  account_id text NOT NULL,
  minute timestamptz NOT NULL,
  amount_nano bigint NOT NULL,
  PRIMARY KEY (account_id, minute)
) WITH (fillfactor = 50);

-- Until then the account is refused new calls because of the cost of its abandoned calls. Computed when that cost is added,
-- so that admission reads only the row that it locks anyway.
ALTER TABLE billing.accounts ADD COLUMN limited_until timestamptz;
