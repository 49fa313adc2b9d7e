-- Rates are counted in Redis. These columns rebuild them after Redis has lost its data.

-- Counts how often a key's rates were rebuilt. Rates taken before the latest rebuild admit nothing.
ALTER TABLE billing.keys ADD COLUMN rates_generation bigint NOT NULL DEFAULT 0;

-- Set for calls of keys with a rate limit: the tokens reserved or, after the call's end, used; and the second
-- (by Redis's clock) and the generation in which they were reserved.
ALTER TABLE billing.holds
  ADD COLUMN tokens bigint,
  ADD COLUMN rate_second bigint,
  ADD COLUMN rate_generation bigint;
CREATE INDEX holds_with_rates ON billing.holds (key_id, created_at) WHERE tokens IS NOT NULL;

-- The order of the list of accounts.
ALTER TABLE billing.accounts ADD COLUMN seq bigint GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX accounts_by_seq ON billing.accounts (seq);

-- An operator's corrections of balances; their ledger entries refer to them.
CREATE TABLE billing.adjustments (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES billing.accounts (id),
  amount_nano bigint NOT NULL CHECK (amount_nano <> 0),
  reason text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX ledger_adjustments ON billing.ledger (reference) WHERE kind = 'adjustment';

-- The platform throttle, one row; it is the lock of the leases. 0: off.
CREATE TABLE billing.throttle (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  requests_per_second bigint NOT NULL DEFAULT 0 CHECK (requests_per_second >= 0)
) WITH (fillfactor = 50);
INSERT INTO billing.throttle DEFAULT VALUES;

-- The calls that each edge requested with its last lease, and those granted in that second.
CREATE TABLE billing.throttle_leases (
  edge_id text PRIMARY KEY,
  second bigint NOT NULL,
  wanted bigint NOT NULL,
  granted bigint NOT NULL
) WITH (fillfactor = 50);
