-- Creating a key counts the account's keys under its lock. Deleted keys are kept forever and must not slow this down.
CREATE INDEX keys_kept ON billing.keys (account_id) WHERE status <> 'deleted';
