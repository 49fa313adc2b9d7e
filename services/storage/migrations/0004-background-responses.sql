-- What a response is to the conversation that would continue it. Null: it has ended with output. `open`: it has not ended. `void`: it
-- failed or was cancelled. Only responses of `background: true` are open or void.
ALTER TABLE storage.responses ADD COLUMN state text CHECK (state IN ('open', 'void'));
-- For the sum of an account's void responses, which cost nothing.
CREATE INDEX responses_void ON storage.responses (account_id) INCLUDE (input_bytes, response_bytes) WHERE state = 'void';

-- Calls of responses of `background: true`, until the response ends or is deleted.
CREATE TABLE storage.background_calls (
  response_id text PRIMARY KEY REFERENCES storage.responses (id) ON DELETE CASCADE,
  account_id text NOT NULL,
  key_id text NOT NULL,
  -- Encrypted with the data key that it contains (packages/secrets); the context is `body <account> <id>`.
  sealed_body bytea NOT NULL,
  -- Of the last attempt; committed before it is sent. Null: none was sent, or a rate limit refused it.
  request_id uuid,
  -- Code of the last refusal by a rate limit. Null: there was none.
  refusal text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- A call that could not be sent by then is not sent.
  start_by timestamptz NOT NULL,
  -- The process that runs it, until its lease expires. A call that a rate limit refused is leased by none until it may be sent again.
  runner text,
  leased_until timestamptz NOT NULL DEFAULT now()
);
-- Ciphertext can't be compressed.
ALTER TABLE storage.background_calls ALTER COLUMN sealed_body SET STORAGE EXTERNAL;
CREATE INDEX background_calls_by_account ON storage.background_calls (account_id);
CREATE INDEX background_calls_by_age ON storage.background_calls (created_at);
