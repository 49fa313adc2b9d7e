-- Several users of one account. Whoever registered owns it.
ALTER TABLE dashboard.users
  ADD COLUMN role text NOT NULL DEFAULT 'owner' CHECK (role IN ('owner', 'member', 'viewer'));

-- Who changed what. Written before the change and completed after it, so that none goes unrecorded; what was
-- refused is taken out again.
CREATE TABLE dashboard.audit (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The account that it concerns; null: the whole gateway.
  account_id text,
  actor_id text NOT NULL,
  actor_email text NOT NULL,
  by_operator boolean NOT NULL,
  action text NOT NULL,
  subject text,
  -- What was asked for, as JSON.
  changes text,
  -- False: under way, or it broke off and nobody knows.
  done boolean NOT NULL DEFAULT false,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_by_account ON dashboard.audit (account_id, seq DESC);
