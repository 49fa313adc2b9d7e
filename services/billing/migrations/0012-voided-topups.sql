-- A pending top-up that was a mistake is voided, and never clears. What an operator noted of the payment stands beside
-- it, so that two of one amount can be told apart.
ALTER TABLE billing.topups
  ADD COLUMN voided_at timestamptz,
  ADD COLUMN reference text NOT NULL DEFAULT '';
ALTER TABLE billing.topups DROP CONSTRAINT topups_status_check;
ALTER TABLE billing.topups ADD CONSTRAINT topups_status_check CHECK (status IN ('pending', 'cleared', 'voided'));
