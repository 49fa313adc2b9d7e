#!/bin/sh
# PostgreSQL's archive_command, which copies a finished WAL segment to the folder WAL_ARCHIVE on another machine's disk:
#   archive_command = 'WAL_ARCHIVE=/backup/wal /path/to/archive-wal.sh "%p" "%f"'
# A segment has its final name only when it is complete and on disk. One that exists already is accepted only if it is the same.
set -eu
segment=$1
archived=$WAL_ARCHIVE/$2
if [ -e "$archived" ]; then
  cmp -s "$segment" "$archived"
  exit
fi
part=$WAL_ARCHIVE/.part-$2
cp "$segment" "$part"
sync "$part"
mv "$part" "$archived"
sync "$WAL_ARCHIVE"
