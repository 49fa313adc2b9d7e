-- Keys by which callers tell that a call is one they have made before: who carries it out, or what was answered.
CREATE TABLE media.idempotency (
  account_id text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  -- SHA-256 in hex over what was asked for.
  fingerprint text NOT NULL,
  -- The call that owns the key.
  request_id uuid NOT NULL,
  instance_id uuid NOT NULL,
  -- Claimed: the provider has not been called. Dispatched: it may have been. Unknown: nobody can tell what became of it.
  state text NOT NULL DEFAULT 'claimed' CHECK (state IN ('claimed', 'dispatched', 'unknown', 'answered')),
  -- Of the answer. A body that is gone made room for others.
  status int,
  headers jsonb,
  body bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, operation, key)
);
-- Images are compressed already.
ALTER TABLE media.idempotency ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX idempotency_by_expiry ON media.idempotency (expires_at);
