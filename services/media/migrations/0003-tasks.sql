-- Video tasks: the request and its price, the status, and when the provider is polled next.
CREATE TABLE media.tasks (
  id text PRIMARY KEY,
  -- The id of the call that created the task, of its hold and of its bill.
  request_id uuid NOT NULL UNIQUE,
  account_id text NOT NULL,
  key_id text NOT NULL,
  model text NOT NULL,
  -- The provider account that runs the task: it is polled there, even if the catalog changes.
  provider text NOT NULL,
  upstream_model text NOT NULL,
  upstream_id text NOT NULL,
  tier text NOT NULL,
  requested_ms bigint NOT NULL CHECK (requested_ms > 0),
  per_second_nano bigint NOT NULL CHECK (per_second_nano >= 0),
  state text NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'running', 'completed', 'failed', 'canceled', 'expired')),
  -- The cost of a completed task, even if the hold did not cover it.
  cost_nano bigint,
  video_ms bigint,
  -- Why the task failed, for the client.
  detail text,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  -- When the task is polled next; null: it has ended. The process that polls it moves this time into the future, as a lease.
  next_look_at timestamptz,
  -- Counts the leases: a process whose lease has passed to another writes nothing.
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
