#!/bin/sh
# Makes a verified base backup of the whole server in a new folder of BACKUPS, and prints its path. DATABASE_URL is the login of a role
# with REPLICATION, which pg_hba.conf allows to connect for replication.
#   DATABASE_URL=postgres://backup:…@db1 BACKUPS=/backup/base deploy/postgres/base-backup.sh
set -eu
: "${DATABASE_URL:?}" "${BACKUPS:?}"
backup=$BACKUPS/$(date -u +%Y%m%dT%H%M%SZ)
part=$BACKUPS/.part-$$
trap 'rm -rf "$part"' EXIT
pg_basebackup --dbname="$DATABASE_URL" --pgdata="$part" --checkpoint=fast --wal-method=stream
pg_verifybackup --quiet "$part"
mv "$part" "$backup"
echo "$backup"
