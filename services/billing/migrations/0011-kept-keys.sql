-- The keys that an account has are counted under its lock when another one is made; deleted ones are for ever.
CREATE INDEX keys_kept ON billing.keys (account_id) WHERE status <> 'deleted';
