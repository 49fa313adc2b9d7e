-- Whether the call creates a task, which may run for up to a day. Earlier versions don't set it.
ALTER TABLE billing.holds ADD COLUMN makes_task boolean NOT NULL DEFAULT false;
