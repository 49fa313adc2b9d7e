import path from 'node:path';
import { CatalogWatch, KeyClient, refusedByCurrentKey } from '@gateway/metering';
import { loadService } from '@gateway/proto';
import type { ProtoGrpcType as BillingProto } from '@gateway/proto/generated/billing';
import type { ProtoGrpcType as CatalogProto } from '@gateway/proto/generated/catalog';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import {
  createGrpcClient,
  createGrpcClients,
  createPool,
  LinkServer,
  type Logger,
  migrate,
  ping,
  type RunningService,
  startAdminServer,
  startGrpcServer,
} from '@gateway/runtime';
import { openBooks } from './books';
import { fromProtoModel } from './clients/from-proto-model';
import { createMediaMetrics } from './metrics';
import { createProviders } from './providers/registry';
import { UpstreamHttp } from './providers/upstream-http';
import { routeCall } from './rpc/route-call';
import { readSettings, type Settings } from './settings';
import { countBills } from './store/bills';

const MIGRATIONS = path.join(__dirname, '../migrations');

export async function startMedia(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const upstream = new UpstreamHttp();
  createProviders(settings, env, upstream);
  const pool = createPool({ url: settings.DATABASE_URL, log });
  await migrate({ pool, schema: 'media', directory: MIGRATIONS, log });

  const { billing, billingInstances, catalog } = createClients(settings);
  const models = new CatalogWatch({ client: catalog, log, fromProto: fromProtoModel });
  const books = await openBooks({ settings, log, pool, billing, billingInstances });
  const keys = new KeyClient(billing);
  const link = new LinkServer({ log, handler: refusedByCurrentKey(keys, routeCall()) });

  const { MediaService } = loadService<MediaProto>('media').gateway.media.v1;
  const grpc = await startGrpcServer({
    host: settings.BIND_HOST,
    port: settings.GRPC_PORT,
    secrets: settings.SERVICE_SECRET,
    services: [
      { definition: MediaService.service, handlers: { Relay: link.relay }, callers: ['edge', 'dashboard'] },
    ],
  });
  const admin = await startAdminServer({
    host: settings.BIND_HOST,
    port: settings.ADMIN_PORT,
    metrics: createMediaMetrics(() => countBills(pool)).registry,
    checks: {
      catalog: () => models.loaded,
      billing: () => books.reserve.up,
      database: () => ping(pool),
    },
  });

  return {
    ports: { grpc: grpc.port, admin: admin.port },
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, settings.DRAIN_TIMEOUT_MS).unref());
      await Promise.race([link.drain(), late]);
      link.close();
      await grpc.stop(1_000);
      await upstream.close();
      await books.close();
      models.close();
      for (const client of [billing, catalog, ...billingInstances]) client.close();
      await pool.end();
      await admin.stop();
    },
  };
}

function createClients({ SERVICE_SECRET, BILLING_ADDR, CATALOG_ADDR }: Settings) {
  const peer = { secrets: SERVICE_SECRET, caller: 'media' };
  const { BillingService } = loadService<BillingProto>('billing').gateway.billing.v1;
  const { CatalogService } = loadService<CatalogProto>('catalog').gateway.catalog.v1;
  return {
    billing: createGrpcClient(BillingService, { ...peer, addresses: BILLING_ADDR }),
    billingInstances: createGrpcClients(BillingService, { ...peer, addresses: BILLING_ADDR }),
    catalog: createGrpcClient(CatalogService, { ...peer, addresses: CATALOG_ADDR }),
  };
}
