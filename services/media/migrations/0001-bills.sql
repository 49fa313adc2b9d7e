-- Processes of this service. One whose lease has expired is considered dead, and the others end its bills.
CREATE TABLE media.instances (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Each call with a hold in billing: from before the hold is requested until billing has acknowledged its end.
CREATE TABLE media.bills (
  request_id uuid PRIMARY KEY,
  account_id text NOT NULL,
  key_id text NOT NULL,
  model text NOT NULL,
  -- The provider that answered or was tried last.
  provider text NOT NULL,
  endpoint text NOT NULL,
  price_version bigint NOT NULL,
  started_at_ms bigint NOT NULL,
  -- Open: the provider has not been called. Dispatched: it may have been. Ended: `event` is to be delivered.
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'dispatched', 'ended')),
  -- The process that ends the bill and delivers its event; null: its video task does.
  instance_id uuid,
  -- The UsageEvent for billing.
  event jsonb,
  CHECK ((state = 'ended') = (event IS NOT NULL)),
  CHECK (instance_id IS NOT NULL OR state = 'dispatched')
) WITH (fillfactor = 50);
CREATE INDEX bills_by_instance ON media.bills (instance_id, state);
