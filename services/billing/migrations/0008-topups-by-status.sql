-- An operator looks for what is pending, of all accounts.
CREATE INDEX topups_by_status ON billing.topups (status, seq DESC);
