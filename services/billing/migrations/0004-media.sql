-- Calls for which it is unknown whether the provider charged. Every existing row satisfies the wider checks, so no row
-- has to be validated.
ALTER TABLE billing.holds
  DROP CONSTRAINT holds_state_check,
  ADD CONSTRAINT holds_state_check CHECK (state IN ('open', 'settled', 'released', 'lost', 'expired')) NOT VALID;
ALTER TABLE billing.usage_records
  DROP CONSTRAINT usage_records_outcome_check,
  ADD CONSTRAINT usage_records_outcome_check CHECK (outcome IN ('settled', 'released', 'lost')) NOT VALID;
ALTER TABLE billing.operator_losses
  DROP CONSTRAINT operator_losses_reason_check,
  ADD CONSTRAINT operator_losses_reason_check
    CHECK (reason IN ('over_hold', 'lost', 'expired', 'late_final')) NOT VALID;

-- Generated images and video seconds.
ALTER TABLE billing.usage_records
  ADD COLUMN images bigint NOT NULL DEFAULT 0,
  ADD COLUMN video_ms bigint NOT NULL DEFAULT 0;
