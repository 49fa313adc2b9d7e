-- Whether the password was given by somebody else: the user must change it before anything else.
ALTER TABLE dashboard.users ADD COLUMN must_change_password boolean NOT NULL DEFAULT false;

-- For users who log in from where they have logged in before.
CREATE INDEX audit_logins ON dashboard.audit_entries (actor_email, address) WHERE action = 'login.succeeded';

-- Invitations to register an account.
CREATE TABLE dashboard.invitations (
  id text PRIMARY KEY,
  -- SHA-256 of the code, which is shown once.
  digest bytea NOT NULL UNIQUE,
  -- Null: any email.
  email text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  used_at timestamptz,
  -- The account that was registered.
  account_id text
);
