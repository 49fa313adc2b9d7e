-- A pending top-up can be voided; it then never clears. The operator's payment reference distinguishes top-ups of the
-- same amount.
ALTER TABLE billing.topups
  ADD COLUMN voided_at timestamptz,
  ADD COLUMN reference text NOT NULL DEFAULT '';
ALTER TABLE billing.topups DROP CONSTRAINT topups_status_check;
ALTER TABLE billing.topups ADD CONSTRAINT topups_status_check CHECK (status IN ('pending', 'cleared', 'voided'));
