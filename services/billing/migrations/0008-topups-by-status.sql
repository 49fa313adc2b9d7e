-- Operators list the pending top-ups of all accounts.
CREATE INDEX topups_by_status ON billing.topups (status, seq DESC);
