-- Batches of `POST /v1/batches` and `POST /v1/messages/batches`. Their calls are in a file; so are, when they have ended, the answers.
CREATE TABLE storage.batches (
  id text COLLATE "C" PRIMARY KEY,
  account_id text NOT NULL,
  key_id text NOT NULL,
  format text NOT NULL CHECK (format IN ('openai', 'anthropic')),
  -- Path of its calls.
  endpoint text NOT NULL,
  input_file_id text NOT NULL,
  -- JSON, encrypted (packages/secrets); the context is `batch <account> <id>`. Null: none.
  sealed_metadata bytea,
  status text NOT NULL CHECK (status IN ('validating', 'in_progress', 'finalizing', 'completed', 'failed', 'expired', 'cancelled')),
  -- Headers of the call that created it, which its calls have too.
  headers jsonb NOT NULL,
  -- Lifetime of the files with the results; null: the retention.
  output_seconds int,
  -- Why it failed: codes and line numbers, never content.
  problems jsonb,
  -- Calls, counted when the input has been validated; the others when the batch has ended.
  total int NOT NULL DEFAULT 0,
  succeeded int NOT NULL DEFAULT 0,
  failed int NOT NULL DEFAULT 0,
  -- Sums over all calls.
  input_tokens bigint NOT NULL DEFAULT 0,
  cached_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  reasoning_tokens bigint NOT NULL DEFAULT 0,
  cost_nano bigint NOT NULL DEFAULT 0,
  -- Set when it is finalizing, so that a repetition replaces what a killed process wrote.
  output_file_id text,
  error_file_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  cancelling_at timestamptz,
  finalizing_at timestamptz,
  ended_at timestamptz,
  -- Calls that have not been sent by then are not sent.
  deadline_at timestamptz NOT NULL,
  -- When the row is deleted.
  expires_at timestamptz NOT NULL,
  -- It may still have rows in batch_calls, which are deleted after its end.
  has_calls boolean NOT NULL DEFAULT true,
  -- The process that runs it, until another one claims it after the lease has expired.
  runner text,
  leased_until timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX batches_by_account ON storage.batches (account_id, id);
CREATE INDEX batches_open ON storage.batches (leased_until) WHERE ended_at IS NULL;
CREATE INDEX batches_to_clear ON storage.batches (ended_at) WHERE ended_at IS NOT NULL AND has_calls;
CREATE INDEX batches_by_input ON storage.batches (input_file_id) WHERE ended_at IS NULL;
CREATE INDEX batches_by_expiry ON storage.batches (expires_at);

-- Calls of a batch that have been sent, until its results are in files.
CREATE TABLE storage.batch_calls (
  batch_id text COLLATE "C" NOT NULL REFERENCES storage.batches (id) ON DELETE CASCADE,
  line int NOT NULL,
  -- Of the last attempt; committed before it is sent.
  request_id uuid NOT NULL,
  -- The answer as a line of the output, encrypted (packages/secrets); the context is `batch-call <account> <batch> <line>`.
  -- Null: not answered.
  sealed_result bytea,
  succeeded boolean,
  input_tokens bigint NOT NULL DEFAULT 0,
  cached_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  reasoning_tokens bigint NOT NULL DEFAULT 0,
  cost_nano bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (batch_id, line)
);
-- Ciphertext can't be compressed.
ALTER TABLE storage.batch_calls ALTER COLUMN sealed_result SET STORAGE EXTERNAL;
