# syntax=docker/dockerfile:1
# The image of one service: docker build --build-arg SERVICE=edge .
# The whole gateway in one container: docker build --target gateway .
# Set the bases to `name:tag@sha256:…` to fix their content too.
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim
ARG DEBIAN_IMAGE=docker.io/library/debian:12.15-slim

# Builds every service, so that their images share this stage.
FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml tsconfig.base.json ./
# `npmrc` and `ca` are for registries that need a login or a certificate authority; both are optional.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca,target=/run/secrets/ca \
  npm install --global "$(node -p "require('./package.json').packageManager")" \
    "typescript@$(node -p "require('./package.json').devDependencies.typescript")"
COPY proto proto
COPY packages packages
COPY services services
COPY deploy/catalog deploy/catalog
COPY deploy/local/images/build-services.sh deploy/local/images/sbom.mjs deploy/local/images/
# One layer without node_modules, which are a gigabyte.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca,target=/run/secrets/ca \
  sh deploy/local/images/build-services.sh /out

FROM build AS build-gateway
COPY deploy/local deploy/local
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca,target=/run/secrets/ca \
  sh deploy/local/images/build-gateway.sh /out/gateway

FROM ${DEBIAN_IMAGE} AS base
RUN groupadd --gid 1000 gateway \
  && useradd --uid 1000 --gid 1000 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin gateway \
  # A new volume that is mounted here gets this owner.
  && install -d -o 1000 -g 1000 /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
ENV BIND_HOST=0.0.0.0 UPLOAD_DIR=/data
USER 1000:1000
STOPSIGNAL SIGTERM

# The container of `npm start`. Without NODE_ENV=production, which refuses simulated providers.
FROM base AS gateway
ENV GATEWAY_DATA_DIR=/data NODE_COMPILE_CACHE=/data/compiled
EXPOSE 8080 8081
# Edge starts last. It refuses a call without a key.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.EDGE_API_PORT || 8080) + '/v1/models').then(({ status }) => process.exit(status === 401 ? 0 : 1), () => process.exit(1))"]
CMD ["node", "deploy/local/dist/start.js"]
COPY --from=build-gateway /out/gateway /app
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG DEBIAN_IMAGE
LABEL org.opencontainers.image.title="model-gateway" \
  org.opencontainers.image.description="Model Gateway with all its services and embedded engines" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="${DEBIAN_IMAGE}"

FROM base
ENV NODE_ENV=production ADMIN_PORT=9090 CATALOG_SEED_DIR=/app/seed DATA_DIR=/data FILE_DIR=/data
EXPOSE 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.ADMIN_PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]

# From here on the services differ; the layers above are shared.
ARG SERVICE
COPY --from=build /out/${SERVICE} /app
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG DEBIAN_IMAGE
LABEL org.opencontainers.image.title="model-gateway-${SERVICE}" \
  org.opencontainers.image.description="The service ${SERVICE} of Model Gateway" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="${DEBIAN_IMAGE}"
