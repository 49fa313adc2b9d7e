-- The task that a call makes: in its hold while it runs, then in its record and in the ledger. Empty: none. A constant
-- default rewrites no row, and is what an earlier version writes.
ALTER TABLE billing.holds
  ADD COLUMN task_id text NOT NULL DEFAULT '',
  ADD COLUMN endpoint text NOT NULL DEFAULT '';
ALTER TABLE billing.usage_records ADD COLUMN task_id text NOT NULL DEFAULT '';
ALTER TABLE billing.ledger ADD COLUMN task_id text NOT NULL DEFAULT '';
