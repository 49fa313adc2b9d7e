-- Who may log in. Money and keys are billing's; account ids are given out here.
CREATE TABLE dashboard.users (
  id text PRIMARY KEY,
  account_id text NOT NULL,
  -- Normalised: trimmed, lower case.
  email text NOT NULL UNIQUE,
  name text NOT NULL,
  password_hash text NOT NULL,
  operator boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX users_account ON dashboard.users (account_id);

-- The account id of a registration under way. A registration that broke off between billing's account and
-- our user is taken up with the same id when it is tried again.
CREATE TABLE dashboard.registrations (
  email text PRIMARY KEY,
  account_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A login. Its tokens are good only while it is here and not over.
CREATE TABLE dashboard.sessions (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES dashboard.users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_user ON dashboard.sessions (user_id, created_at);

-- Tries of something that may be tried only so often. The subject is a digest: no addresses are kept.
CREATE TABLE dashboard.attempts (
  subject bytea PRIMARY KEY,
  tries int NOT NULL,
  window_ends_at timestamptz NOT NULL
);
CREATE INDEX attempts_window ON dashboard.attempts (window_ends_at);
