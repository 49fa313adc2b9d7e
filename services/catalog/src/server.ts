import path from 'node:path';
import { loadService } from '@gateway/proto';
import type { ProtoGrpcType } from '@gateway/proto/generated/catalog';
import {
  createPool,
  type Logger,
  migrate,
  ping,
  type RunningService,
  readConfig,
  startAdminServer,
  startGrpcServer,
} from '@gateway/runtime';
import { settings } from './config';
import { Catalog } from './domain/catalog';
import { createCatalogMetrics } from './metrics';
import { Watchers } from './rpc/watch';
import { readSeed } from './seed/read-seed';
import { followChanges } from './store/follow-changes';
import { addMissingModels, loadChanges } from './store/models';

const POLL_INTERVAL_MS = 1_000;
const STOP_GRACE_MS = 5_000;

export async function start(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const config = readConfig(settings, env);
  const seed = await readSeed(config.CATALOG_SEED_DIR);
  const pool = createPool({ url: config.DATABASE_URL, log, maxConnections: 4 });
  await migrate({ pool, schema: 'catalog', directory: path.join(__dirname, '../migrations'), log });
  const added = await addMissingModels(pool, seed);
  if (added.length > 0) log.info({ models: added.length }, 'models added from the seed');

  const catalog = new Catalog();
  catalog.apply(await loadChanges(pool, catalog.revision));
  const stopFollowing = followChanges({ pool, catalog, log, intervalMs: POLL_INTERVAL_MS });
  const watchers = new Watchers(catalog);
  const { gateway } = loadService<ProtoGrpcType>('catalog');
  const grpcServer = await startGrpcServer({
    host: config.BIND_HOST,
    port: config.GRPC_PORT,
    secrets: config.SERVICE_SECRET,
    services: [
      {
        definition: gateway.catalog.v1.CatalogService.service,
        handlers: { Watch: watchers.watch },
        callers: ['edge', 'chat', 'media', 'dashboard'],
      },
    ],
  });
  const admin = await startAdminServer({
    host: config.BIND_HOST,
    port: config.ADMIN_PORT,
    metrics: createCatalogMetrics({
      revision: () => catalog.revision,
      watchers: () => watchers.count,
    }),
    checks: { database: () => ping(pool), models: () => catalog.loaded },
  });
  return {
    ports: { grpc: grpcServer.port, admin: admin.port },
    async stop() {
      watchers.close();
      await grpcServer.stop(STOP_GRACE_MS);
      await stopFollowing();
      await admin.stop();
      await pool.end();
    },
  };
}
