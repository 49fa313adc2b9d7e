-- The task that a call creates: in its hold while it runs, then in its record and in the ledger. Empty: none. A constant
-- default rewrites no row, and applies to rows that earlier versions insert.
ALTER TABLE billing.holds
  ADD COLUMN task_id text NOT NULL DEFAULT '',
  ADD COLUMN endpoint text NOT NULL DEFAULT '';
ALTER TABLE billing.usage_records ADD COLUMN task_id text NOT NULL DEFAULT '';
ALTER TABLE billing.ledger ADD COLUMN task_id text NOT NULL DEFAULT '';
