-- The free calls of keys with rate limits, for the minute in which they count: with the holds, they rebuild a key's
-- rates after Redis has lost its data. Unlogged: a crash may lose them, and no money depends on them.
CREATE UNLOGGED TABLE billing.free_calls (
  key_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX free_calls_by_key ON billing.free_calls (key_id, created_at);
