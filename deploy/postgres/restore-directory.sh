#!/bin/sh
# Adds the accounts of another cell, and the values of their keys, to home's directory: those that a restore of home to an earlier time
# has lost. Both logins are the owner's. May be repeated.
#   HOME_DATABASE_URL=postgres://… CELL_DATABASE_URL=postgres://… deploy/postgres/restore-directory.sh b
set -eu
: "${HOME_DATABASE_URL:?}" "${CELL_DATABASE_URL:?}"
cell=${1:?the name of the cell}
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 "$CELL_DATABASE_URL" <<SQL
\copy (SELECT id FROM billing.accounts) TO '$found/accounts'
\copy (SELECT mac, account_id FROM billing.key_values v JOIN billing.keys k ON k.id = v.key_id) TO '$found/keys'
SQL
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=cell="$cell" --single-transaction "$HOME_DATABASE_URL" <<SQL
CREATE TEMPORARY TABLE found_accounts (id text) ON COMMIT DROP;
CREATE TEMPORARY TABLE found_keys (mac bytea, account_id text) ON COMMIT DROP;
\copy found_accounts FROM '$found/accounts'
\copy found_keys FROM '$found/keys'
INSERT INTO billing.cell_accounts (account_id, cell)
  SELECT id, :'cell' FROM found_accounts WHERE id NOT IN (SELECT id FROM billing.accounts)
  ON CONFLICT DO NOTHING;
INSERT INTO billing.cell_keys (mac, account_id)
  SELECT mac, account_id FROM found_keys JOIN billing.cell_accounts USING (account_id) WHERE cell = :'cell'
  ON CONFLICT DO NOTHING;
SQL
