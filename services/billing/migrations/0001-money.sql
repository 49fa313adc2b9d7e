-- Accounts, keys and money. The row of an account is the lock of everything that belongs to it: its keys,
-- windows, holds, top-ups and ledger are written only by transactions that hold it.

-- The clock of windows and expiry. Tests replace it, for example to test the end of a month.
CREATE FUNCTION billing.clock() RETURNS timestamptz
  LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT now()';

CREATE FUNCTION billing.utc_day(at timestamptz) RETURNS date
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (at AT TIME ZONE 'UTC')::date $$;

CREATE FUNCTION billing.month_of(day date) RETURNS date
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT day - (extract(day FROM day)::int - 1) $$;

CREATE FUNCTION billing.epoch_ms(at timestamptz) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT floor(extract(epoch FROM at) * 1000)::bigint $$;

-- Every call updates these rows. A low fillfactor leaves free space on each page for HOT updates, which touch no index.
CREATE TABLE billing.accounts (
  id text PRIMARY KEY,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  -- Includes reserved funds. A chargeback may make it negative; calls can't.
  balance_nano bigint NOT NULL DEFAULT 0,
  held_nano bigint NOT NULL DEFAULT 0 CHECK (held_nano >= 0),
  daily_limit_nano bigint CHECK (daily_limit_nano >= 0),
  when_short text NOT NULL DEFAULT 'lower' CHECK (when_short IN ('lower', 'refuse')),
  preview_models text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE billing.keys (
  id text PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  account_id text NOT NULL REFERENCES billing.accounts (id),
  name text NOT NULL,
  status text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled', 'deleted', 'revoked')),
  expires_at timestamptz,
  -- Empty: every model.
  allowed_models text[] NOT NULL DEFAULT '{}',
  daily_limit_nano bigint CHECK (daily_limit_nano >= 0),
  monthly_limit_nano bigint CHECK (monthly_limit_nano >= 0),
  request_cost_limit_nano bigint CHECK (request_cost_limit_nano >= 0),
  rpm_limit bigint CHECK (rpm_limit >= 0),
  tpm_limit bigint CHECK (tpm_limit >= 0),
  hint text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX keys_by_account ON billing.keys (account_id, seq DESC);

-- The valid values of a key: the current one and, for a grace period after a rotation, the previous one.
CREATE TABLE billing.key_values (
  mac bytea PRIMARY KEY,
  key_id text NOT NULL REFERENCES billing.keys (id),
  -- When a rotated value expires.
  retires_at timestamptz
);
CREATE INDEX key_values_by_key ON billing.key_values (key_id);

-- Spend of a key's day, a key's month, an account's day (UTC). Used = settled + held.
CREATE TABLE billing.spend_windows (
  kind text NOT NULL CHECK (kind IN ('key_day', 'key_month', 'account_day')),
  subject_id text NOT NULL,
  starts_on date NOT NULL,
  account_id text NOT NULL,
  held_nano bigint NOT NULL DEFAULT 0 CHECK (held_nano >= 0),
  settled_nano bigint NOT NULL DEFAULT 0 CHECK (settled_nano >= 0),
  PRIMARY KEY (kind, subject_id, starts_on)
) WITH (fillfactor = 50);

-- Partitioned by time: request ids are UUIDv7. Rows outside all partitions go to the default partition.
CREATE TABLE billing.holds (
  request_id uuid PRIMARY KEY,
  account_id text NOT NULL,
  key_id text NOT NULL,
  model text NOT NULL,
  owner_id text NOT NULL,
  owner_epoch bigint NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'settled', 'released', 'expired')),
  amount_nano bigint NOT NULL CHECK (amount_nano >= 0),
  charged_nano bigint NOT NULL DEFAULT 0 CHECK (charged_nano BETWEEN 0 AND amount_nano),
  -- UTC day of admission, which determines the spend windows.
  day date NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
) PARTITION BY RANGE (request_id);
CREATE TABLE billing.holds_default PARTITION OF billing.holds DEFAULT;
CREATE INDEX holds_open ON billing.holds (owner_id, owner_epoch) WHERE state = 'open';

-- A record of each ended call. It copies the figures of the hold, so that it outlives the hold.
CREATE TABLE billing.usage_records (
  request_id uuid PRIMARY KEY,
  account_id text NOT NULL,
  key_id text NOT NULL,
  model text NOT NULL,
  endpoint text NOT NULL,
  provider text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('settled', 'released')),
  status int NOT NULL,
  error_code text NOT NULL,
  price_version bigint NOT NULL,
  cost_nano bigint NOT NULL,
  charged_nano bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cache_read_tokens bigint NOT NULL,
  cache_write_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  usage_source text NOT NULL,
  streamed boolean NOT NULL,
  first_byte_ms bigint NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (request_id);
CREATE TABLE billing.usage_records_default PARTITION OF billing.usage_records DEFAULT;
CREATE INDEX usage_records_by_account ON billing.usage_records (account_id, request_id DESC);

CREATE TABLE billing.topups (
  id text PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  account_id text NOT NULL REFERENCES billing.accounts (id),
  amount_nano bigint NOT NULL CHECK (amount_nano > 0),
  status text NOT NULL CHECK (status IN ('pending', 'cleared')),
  created_at timestamptz NOT NULL DEFAULT now(),
  cleared_at timestamptz
);
CREATE INDEX topups_by_account ON billing.topups (account_id, seq DESC);

-- Every change of a balance. An account's entries are numbered in the order of their commits, because its
-- row is locked when the number is drawn.
CREATE TABLE billing.ledger (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('charge', 'topup', 'adjustment')),
  amount_nano bigint NOT NULL CHECK (amount_nano <> 0),
  reference text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ledger_by_account ON billing.ledger (account_id, seq DESC);

CREATE FUNCTION billing.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'table % takes inserts only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER ledger_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON billing.ledger
  FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();

-- Costs that could not be charged. A later correction is a negative entry.
CREATE TABLE billing.operator_losses (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id uuid NOT NULL,
  account_id text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('over_hold', 'expired', 'late_final')),
  amount_nano bigint NOT NULL CHECK (amount_nano <> 0),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER operator_losses_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON billing.operator_losses
  FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();

-- Settlement events that could not be applied: each once, unchanged.
CREATE TABLE billing.dead_letters (
  digest bytea PRIMARY KEY,
  source text NOT NULL,
  reason text NOT NULL,
  payload bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Processes that own holds. Each start of a process has a greater epoch.
CREATE TABLE billing.owners (
  id text PRIMARY KEY,
  epoch bigint NOT NULL,
  epoch_since timestamptz NOT NULL,
  last_seen timestamptz NOT NULL
) WITH (fillfactor = 50);
