# Writes what an image needs of the whole gateway to a folder, in the layout of a checkout: build-gateway.sh FOLDER. Runs in the build
# of an image, after build-services.sh.
set -eu
out=$1
install() {
  pnpm install --frozen-lockfile --prefer-offline --store-dir /pnpm/store --reporter silent --filter '!model-gateway' "$@"
}

install --filter-prod '{./deploy/local}...'
tsc -b deploy/local

mkdir -p "$out"
cp package.json pnpm-lock.yaml pnpm-workspace.yaml "$out"
for folder in proto packages/* services/* deploy/local; do
  # What only tests use is not compiled.
  test -d "$folder/dist" || continue
  for part in package.json dist migrations gateway openapi web/dist; do
    test ! -e "$folder/$part" || cp -r --parents "$folder/$part" "$out"
  done
done
cp -r --parents deploy/catalog packages/local-stack/engines "$out"

cd "$out"
install --prod --filter-prod '{./deploy/local}...' --filter-prod '{./services/*}...'
rm pnpm-lock.yaml pnpm-workspace.yaml
# Node of a checkout, an optional package of the workspace's root; the image has its own.
find node_modules -name 'node-linux-*' -prune -exec rm -rf {} +
# What only compilers, linkers and debuggers read.
find . -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.tsbuildinfo' -o -name '*.a' \) -delete
node /src/deploy/local/images/sbom.mjs deploy/local services/* > sbom.cdx.json

# As in build-services.sh.
cd /src
find . -name node_modules -prune -exec rm -rf {} +
