-- Stored responses of `POST /v1/responses`, until they expire or their account deletes them.
CREATE TABLE storage.responses (
  id text PRIMARY KEY,
  account_id text NOT NULL,
  -- The response whose conversation this one continues; it may be gone.
  previous_id text,
  -- JSON, each encrypted with the data key that it contains (packages/secrets); the context is `<part> <account> <id>`.
  sealed_input bytea NOT NULL,
  sealed_response bytea NOT NULL,
  -- Sizes of the JSON.
  input_bytes int NOT NULL,
  response_bytes int NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
-- Ciphertext can't be compressed.
ALTER TABLE storage.responses ALTER COLUMN sealed_input SET STORAGE EXTERNAL;
ALTER TABLE storage.responses ALTER COLUMN sealed_response SET STORAGE EXTERNAL;
CREATE INDEX responses_by_expiry ON storage.responses (expires_at);
