# Builds the services and writes what an image needs of each to a folder: build-services.sh FOLDER. Runs in the build of an image.
set -eu
out=$1
store=/pnpm/store

pnpm install --frozen-lockfile --prefer-offline --store-dir "$store" --reporter silent \
  --filter-prod '{./services/**}...' --filter '!model-gateway'
pnpm --filter @gateway/proto generate
tsc -b services/*
node services/dashboard/web/build.mjs

for folder in services/*; do
  service=$(basename "$folder")
  app=$out/$service
  pnpm --filter "@gateway/$service" --config.inject-workspace-packages=true --offline --store-dir "$store" \
    --reporter silent deploy --prod "$app"
  # What only compilers and debuggers read.
  find "$app" -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete
  node deploy/local/images/sbom.mjs "$app" > "$app/sbom.cdx.json"
done
cp -r deploy/catalog "$out/catalog/seed"

# COPY has put the sources in other layers; these folders are most of this one.
find . -name node_modules -prune -exec rm -rf {} +
