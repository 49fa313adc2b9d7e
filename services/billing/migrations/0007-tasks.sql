-- Holds of calls that make a task, which its owner drives to its end for up to a day. An earlier version writes none.
ALTER TABLE billing.holds ADD COLUMN makes_task boolean NOT NULL DEFAULT false;
