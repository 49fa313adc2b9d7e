-- Authenticated calls that reserved no money or failed, as edge answered them, for operators who look up a request id.
-- Kept for a short time; deleted in the order of the ids, which is chronological.
CREATE TABLE billing.access_log (
  request_id uuid PRIMARY KEY,
  -- Empty for a call with a login token.
  account_id text NOT NULL,
  key_id text NOT NULL,
  -- Empty for a call with an API key.
  user_id text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  status int NOT NULL,
  error_code text NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL
);

-- Requests of all accounts are listed in the order of their ids; the failed ones have an index, because they are few.
CREATE INDEX usage_records_all_failed ON billing.usage_records (request_id DESC, status, error_code, model)
  WHERE error_code <> '';
