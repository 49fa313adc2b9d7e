-- The calls of limited keys that took no money, for the minute in which they count: with the holds they tell
-- what a key was let through when Redis has lost it. Not logged: a crash may lose them, and costs nobody money.
CREATE UNLOGGED TABLE billing.free_calls (
  key_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX free_calls_by_key ON billing.free_calls (key_id, created_at);
