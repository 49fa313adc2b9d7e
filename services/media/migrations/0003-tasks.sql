-- Video tasks: what was ordered and at which price, what has become of it, and when its provider is asked next.
CREATE TABLE media.tasks (
  id text PRIMARY KEY,
  -- The call that created it, its hold and its bill.
  request_id uuid NOT NULL UNIQUE,
  account_id text NOT NULL,
  key_id text NOT NULL,
  model text NOT NULL,
  -- The provider account that has it; a task is asked for where it was made, whatever the catalog says later.
  provider text NOT NULL,
  upstream_model text NOT NULL,
  upstream_id text NOT NULL,
  tier text NOT NULL,
  requested_ms bigint NOT NULL CHECK (requested_ms > 0),
  per_second_nano bigint NOT NULL CHECK (per_second_nano >= 0),
  state text NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'running', 'completed', 'failed', 'canceled', 'expired')),
  -- Of a completed task, whatever the hold made of it.
  cost_nano bigint,
  video_ms bigint,
  -- Why it failed, in words for the caller.
  detail text,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  -- Null once it is over. Pushed into the future by whoever looks, as a lease.
  next_look_at timestamptz,
  -- Counts the leases: what an earlier holder finds out changes nothing.
  claim bigint NOT NULL DEFAULT 0,
  failed_looks int NOT NULL DEFAULT 0,
  unpriced_looks int NOT NULL DEFAULT 0,
  unknown_ms bigint NOT NULL DEFAULT 0,
  CHECK ((next_look_at IS NOT NULL) = (state IN ('queued', 'running'))),
  CHECK ((ended_at IS NULL) = (state IN ('queued', 'running'))),
  CHECK ((cost_nano IS NOT NULL) = (state = 'completed'))
) WITH (fillfactor = 50);
CREATE INDEX tasks_due ON media.tasks (provider, next_look_at) WHERE next_look_at IS NOT NULL;
CREATE INDEX tasks_old ON media.tasks (created_at);
