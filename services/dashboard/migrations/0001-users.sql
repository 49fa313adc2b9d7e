-- Users who may log in. Billing owns money and keys; account ids are created here.
CREATE TABLE dashboard.users (
  id text PRIMARY KEY,
  account_id text NOT NULL,
  -- Normalized: trimmed, lower case.
  email text NOT NULL UNIQUE,
  name text NOT NULL,
  password_hash text NOT NULL,
  operator boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX users_account ON dashboard.users (account_id);

-- The account id of an unfinished registration. If a registration fails after billing has created the account and before
-- the user is created, the next attempt continues with the same id.
CREATE TABLE dashboard.registrations (
  email text PRIMARY KEY,
  account_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A login session. Its tokens are valid while the row exists and has not expired.
CREATE TABLE dashboard.sessions (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES dashboard.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_user ON dashboard.sessions (user_id, created_at);

-- Attempts at rate-limited actions. The subject is a digest: no addresses are stored.
CREATE TABLE dashboard.attempts (
  subject bytea PRIMARY KEY,
  tries int NOT NULL,
  window_ends_at timestamptz NOT NULL
);
CREATE INDEX attempts_window ON dashboard.attempts (window_ends_at);
