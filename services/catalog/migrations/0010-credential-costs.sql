-- Daily limit of what the provider charges for the calls of all instances of chat; NULL: none.
ALTER TABLE catalog.credentials ADD COLUMN cost_per_day_nano bigint CHECK (cost_per_day_nano > 0);

-- What each instance of chat has spent with a credential on a UTC day. Cumulative, so that a repeated report changes nothing. A
-- credential may be deleted while calls with it are in flight, so it is not referenced; rows of past days are deleted.
CREATE TABLE catalog.credential_costs (
  day date NOT NULL,
  credential_id uuid NOT NULL,
  instance_id uuid NOT NULL,
  cost_nano bigint NOT NULL CHECK (cost_nano > 0),
  PRIMARY KEY (day, credential_id, instance_id)
);
