-- Members who were removed, so that the keys whose values they know can be listed with their names.
CREATE TABLE dashboard.removed_members (
  id text PRIMARY KEY,
  account_id text NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  removed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX removed_members_account ON dashboard.removed_members (account_id, removed_at DESC);
