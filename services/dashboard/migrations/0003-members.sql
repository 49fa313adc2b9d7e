-- Several users per account. The user who registered the account owns it.
ALTER TABLE dashboard.users
  ADD COLUMN role text NOT NULL DEFAULT 'owner' CHECK (role IN ('owner', 'member', 'viewer'));

-- The audit log. An entry is written before the change and completed after it, so that every change is recorded; the entry
-- of a refused change is deleted.
CREATE TABLE dashboard.audit (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The affected account; null: the whole gateway.
  account_id text,
  actor_id text NOT NULL,
  actor_email text NOT NULL,
  by_operator boolean NOT NULL,
  action text NOT NULL,
  subject text,
  -- The request as JSON.
  changes text,
  -- False: in progress, or interrupted with an unknown outcome.
  done boolean NOT NULL DEFAULT false,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_by_account ON dashboard.audit (account_id, seq DESC);
