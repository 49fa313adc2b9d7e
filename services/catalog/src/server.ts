import path from 'node:path';
import { awaitMigrations, createPool, directUrl, ping } from '@gateway/postgres';
import { every, type Logger, type RunningService, startAdminServer } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/catalog';
import { createTrust, loadService, startGrpcServer, unary } from '@gateway/rpc';
import { Catalog } from './domain/catalog';
import { Providers } from './domain/providers';
import { utcDay } from './domain/utc-day';
import { createCatalogMetrics } from './metrics';
import { PriceListSource } from './price-lists/price-list-source';
import { applyConfig, type EditAll } from './rpc/apply-config';
import { listCosts, syncCosts } from './rpc/credential-costs';
import { createModel, type Edit, setModelStatus, setPricing, updateModel } from './rpc/edit-models';
import {
  createCredential,
  createProvider,
  deleteCredential,
  deleteProvider,
  type EditProviders,
  listProviders,
  updateCredential,
  updateProvider,
} from './rpc/edit-providers';
import { findPrices } from './rpc/find-prices';
import { Watchers } from './rpc/watch';
import { ProviderWatchers } from './rpc/watch-providers';
import { readSeed } from './seed/read-seed';
import { readSettings } from './settings';
import { deleteCredentialCostsBefore } from './store/credential-costs';
import { editAll, editCatalog } from './store/edit-catalog';
import { followChanges } from './store/follow-changes';
import { addMissingModels, loadChanges } from './store/models';
import { editProviders } from './store/providers';

const POLL_INTERVAL_MS = 1_000;
const COST_RETENTION_INTERVAL_MS = 60 * 60 * 1_000;
const STOP_GRACE_MS = 5_000;

export async function start(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const trust = createTrust('catalog', settings, log);
  const seed = await readSeed(settings.CATALOG_SEED_DIR);
  const pool = createPool({ url: settings.DATABASE_URL, log, maxConnections: 4 });
  await awaitMigrations({ pool, schema: 'catalog', directory: path.join(__dirname, '../migrations'), log });
  const added = await addMissingModels(pool, seed);
  if (added.length > 0) log.info({ models: added.length }, 'models added from the seed');

  const catalog = new Catalog();
  catalog.apply(await loadChanges(pool, catalog.revision));
  const providers = new Providers();
  const follower = followChanges({
    pool,
    url: directUrl(settings),
    catalog,
    providers,
    log,
    intervalMs: POLL_INTERVAL_MS,
  });
  const edit: Edit = async (work) => {
    const result = await editCatalog(pool, work);
    await follower.refresh();
    return result;
  };
  const providerEdit: EditProviders = async (work) => {
    const result = await editProviders(pool, work);
    await follower.refresh();
    return result;
  };
  const priceList = new PriceListSource(settings.PRICE_LIST);
  const configEdit: EditAll = async (work) => {
    const result = await editAll(pool, work);
    await follower.refresh();
    return result;
  };
  const addresses = { refusesLocal: settings.PROVIDER_LOCAL_ADDRESSES === 'refuse' };
  const providerDeps = { edit: providerEdit, keys: settings.CREDENTIALS_KEY, addresses };
  // Yesterday's stay for an instance whose clock is behind.
  const costRetention = every(COST_RETENTION_INTERVAL_MS, 'past credential costs', log, () =>
    deleteCredentialCostsBefore(pool, utcDay(Date.now(), -1)),
  );
  await follower.refresh();
  const watchers = new Watchers(catalog);
  const providerWatchers = new ProviderWatchers(providers);
  const { service } = loadService<ProtoGrpcType>('catalog').gateway.catalog.v1.CatalogService;
  const grpcServer = await startGrpcServer({
    host: settings.BIND_HOST,
    port: settings.GRPC_PORT,
    trust,
    log,
    services: [
      {
        definition: service,
        handlers: {
          Watch: watchers.watch,
          WatchProviders: providerWatchers.watch,
          SyncCredentialCosts: unary(log, syncCosts(pool)),
          ListCredentialCosts: unary(log, listCosts(pool)),
          CreateModel: unary(log, createModel(edit)),
          UpdateModel: unary(log, updateModel(edit)),
          SetModelStatus: unary(log, setModelStatus(edit)),
          SetPricing: unary(log, setPricing(edit)),
          ListProviders: unary(log, listProviders(providers)),
          CreateProvider: unary(log, createProvider(providerDeps)),
          UpdateProvider: unary(log, updateProvider(providerDeps)),
          DeleteProvider: unary(log, deleteProvider(providerDeps)),
          CreateCredential: unary(log, createCredential(providerDeps)),
          UpdateCredential: unary(log, updateCredential(providerDeps)),
          DeleteCredential: unary(log, deleteCredential(providerDeps)),
          ApplyConfig: unary(log, applyConfig(configEdit, addresses)),
          FindPrices: unary(log, findPrices({ providers, priceList, log })),
        },
      },
    ],
  });
  const admin = await startAdminServer({
    host: settings.BIND_HOST,
    port: settings.ADMIN_PORT,
    metrics: createCatalogMetrics({
      revision: () => catalog.revision,
      watchers: () => watchers.count,
    }),
    certificateExpiry: () => trust.certificateExpiry(),
    checks: { database: () => ping(pool), models: () => catalog.loaded },
  });
  return {
    ports: { grpc: grpcServer.port, admin: admin.port },
    async stop() {
      watchers.close();
      providerWatchers.close();
      await grpcServer.stop(STOP_GRACE_MS);
      await Promise.all([follower.stop(), costRetention.stop()]);
      await admin.stop();
      await pool.end();
    },
  };
}
