-- Records include calls that were refused before any money was reserved.
ALTER TABLE billing.usage_records
  DROP CONSTRAINT usage_records_outcome_check,
  ADD CONSTRAINT usage_records_outcome_check CHECK (outcome IN ('settled', 'released', 'lost', 'refused')) NOT VALID,
  ADD COLUMN admitted_ms bigint NOT NULL DEFAULT 0;

-- One index per filter of the list, so that a page of rare records is found without reading all others.
CREATE INDEX usage_records_by_key ON billing.usage_records (account_id, key_id, request_id DESC);
CREATE INDEX usage_records_by_model ON billing.usage_records (account_id, model, request_id DESC);
CREATE INDEX usage_records_by_error ON billing.usage_records (account_id, error_code, request_id DESC)
  WHERE error_code <> '';
CREATE INDEX usage_records_by_failed_status ON billing.usage_records (account_id, status, request_id DESC)
  WHERE error_code <> '';

-- Totals of the calls of a key to a model on a UTC day: written with the records, kept after these are deleted.
CREATE TABLE billing.usage_days (
  account_id text NOT NULL,
  day date NOT NULL,
  key_id text NOT NULL,
  -- Empty: not in the catalog.
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

-- Processes that report refused calls, and the last report applied of each: a repeated report counts once.
CREATE TABLE billing.refusal_reporters (
  id text PRIMARY KEY,
  last_report bigint NOT NULL,
  last_seen timestamptz NOT NULL DEFAULT now()
);
