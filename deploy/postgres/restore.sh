#!/bin/sh
# Prepares DATA, an empty or missing folder, for a server that recovers from a base backup and the archived WAL up to a time, and then
# accepts writes. Run it as the user of the server, and then start the server on DATA.
#   WAL_ARCHIVE=/backup/wal deploy/postgres/restore.sh /backup/base/20261126T120000Z /var/lib/postgresql/18/restored '2026-11-26 14:30:00+00'
set -eu
: "${WAL_ARCHIVE:?}"
backup=$1
data=$2
time=$3
if [ -e "$data" ] && [ -n "$(ls -A "$data")" ]; then
  echo "$data is not empty" >&2
  exit 1
fi
mkdir -p "$data"
chmod 700 "$data"
cp -R "$backup/." "$data"
# The restored server must not write into the archive of the original one.
cat >>"$data/postgresql.auto.conf" <<SETTINGS
archive_mode = 'off'
restore_command = 'cp "$WAL_ARCHIVE/%f" "%p"'
recovery_target_time = '$time'
recovery_target_action = 'promote'
synchronous_standby_names = ''
SETTINGS
touch "$data/recovery.signal"
