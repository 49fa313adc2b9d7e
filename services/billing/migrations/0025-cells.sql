-- The directory, which only the home cell's database fills: the accounts of other cells, and the MACs of their keys' values.
CREATE TABLE billing.cell_accounts (
  account_id text PRIMARY KEY,
  cell text NOT NULL
);
CREATE TABLE billing.cell_keys (
  mac bytea PRIMARY KEY,
  account_id text NOT NULL REFERENCES billing.cell_accounts
);
