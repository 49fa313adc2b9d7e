-- Calls that were refused before any money was held for them stand beside those that were paid.
ALTER TABLE billing.usage_records
  DROP CONSTRAINT usage_records_outcome_check,
  ADD CONSTRAINT usage_records_outcome_check CHECK (outcome IN ('settled', 'released', 'lost', 'refused')) NOT VALID,
  ADD COLUMN admitted_ms bigint NOT NULL DEFAULT 0;

-- One for each filter of the list, so that a page of a rare kind is found without reading the others.
CREATE INDEX usage_records_by_key ON billing.usage_records (account_id, key_id, request_id DESC);
CREATE INDEX usage_records_by_model ON billing.usage_records (account_id, model, request_id DESC);
CREATE INDEX usage_records_by_error ON billing.usage_records (account_id, error_code, request_id DESC)
  WHERE error_code <> '';
CREATE INDEX usage_records_by_failed_status ON billing.usage_records (account_id, status, request_id DESC)
  WHERE error_code <> '';

-- What the calls of a key to a model on one UTC day come to: written with their records, kept when those go.
CREATE TABLE billing.usage_days (
  account_id text NOT NULL,
  day date NOT NULL,
  key_id text NOT NULL,
  -- Empty: none that the catalog knows.
  model text NOT NULL,
  calls bigint NOT NULL,
  errors bigint NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  images bigint NOT NULL,
  video_ms bigint NOT NULL,
  charged_nano bigint NOT NULL,
  PRIMARY KEY (account_id, day, key_id, model)
) WITH (fillfactor = 50);

INSERT INTO billing.usage_days
  SELECT account_id, billing.utc_day(started_at), key_id, model, count(*), count(*) FILTER (WHERE error_code <> ''),
    sum(input_tokens + cache_read_tokens + cache_write_tokens), sum(output_tokens), sum(images), sum(video_ms),
    sum(charged_nano)
  FROM billing.usage_records GROUP BY 1, 2, 3, 4;

-- Who reports refused calls, and the last of its reports that was taken: one that comes twice counts once.
CREATE TABLE billing.refusal_reporters (
  id text PRIMARY KEY,
  last_report bigint NOT NULL,
  last_seen timestamptz NOT NULL DEFAULT now()
);
