#!/usr/bin/env sh
# Checks that a change does not break peers that run the previous version: main, or on main its parent.
set -eu
cd "$(dirname "$0")/.."
if [ "$(git rev-parse HEAD)" = "$(git rev-parse --verify --quiet main || git rev-parse --verify --quiet origin/main || git rev-parse HEAD)" ]; then
  base="$(git rev-parse --verify --quiet HEAD~1 || true)"
else
  base="$(git rev-parse main)"
fi
if [ -z "$base" ] || ! git cat-file -e "$base:proto/buf.yaml" 2>/dev/null; then
  echo 'proto: nothing to compare with'
  exit 0
fi
before="$(mktemp -d)"
trap 'rm -rf "$before"' EXIT
git archive "$base" proto | tar -x -C "$before"
cd proto
buf breaking --against "$before/proto"
