-- Idempotency keys, each with the call that is in flight or its response.
CREATE TABLE media.idempotency (
  account_id text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  -- SHA-256 of the request in hex.
  fingerprint text NOT NULL,
  -- The call that owns the key.
  request_id uuid NOT NULL,
  instance_id uuid NOT NULL,
  -- Claimed: the provider has not been called. Dispatched: it may have been. Unknown: the outcome can't be determined.
  state text NOT NULL DEFAULT 'claimed' CHECK (state IN ('claimed', 'dispatched', 'unknown', 'answered')),
  -- The response. The oldest bodies are deleted to bound the storage.
  status int,
  headers jsonb,
  body bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, operation, key)
);
-- Images are already compressed.
ALTER TABLE media.idempotency ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX idempotency_by_expiry ON media.idempotency (expires_at);
