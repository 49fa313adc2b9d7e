import path from 'node:path';
import { CellRefusals, KeyClient, withRefusalReports } from '@gateway/call-billing';
import { CatalogWatch } from '@gateway/catalog-client';
import { LinkServer, routeCall } from '@gateway/link';
import { awaitMigrations, createPool, ping } from '@gateway/postgres';
import {
  connectedOnce,
  createQuotaMetrics,
  every,
  type Logger,
  type RunningService,
  startAdminServer,
} from '@gateway/process';
import type { ProtoGrpcType as CatalogProto } from '@gateway/proto/generated/catalog';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import { refusedHosts } from '@gateway/providers';
import { Quota } from '@gateway/quota';
import { createGrpcClient, createTrust, loadService, startGrpcServer, type Trust, unary } from '@gateway/rpc';
import {
  CredentialLimiter,
  Failover,
  listProviders,
  simulatedProviders,
  TargetHealth,
} from '@gateway/upstream';
import { openAudio } from './audio/open-audio';
import { createBilling } from './billing/create-billing';
import { AccountFunds } from './clients/account-funds';
import { fromProtoModel } from './clients/from-proto-model';
import { IdempotentCalls } from './idempotency/idempotent-calls';
import { openImages } from './images/open-images';
import { createMediaMetrics } from './metrics';
import { type MediaProviders, openProviders } from './providers/open-providers';
import { createProviders, PROVIDERS } from './providers/registry';
import { UpstreamHttp } from './providers/upstream-http';
import { createSpeech } from './rpc/create-speech';
import { createTranscription } from './rpc/create-transcription';
import { probeProvider } from './rpc/probe-provider';
import { readSettings, type Settings } from './settings';
import { countBills } from './store/bills';
import { Idempotency } from './store/idempotency';
import { countOpenTasks } from './store/tasks';
import { audioCpuQuota } from './upload/audio-duration';
import { checkUploadDirectory } from './upload/check-upload-directory';
import { FORM_LIMITS } from './upload/form';
import { FormReader } from './upload/form-reader';
import { UploadQuota } from './upload/upload-quota';
import { openVideos } from './videos/open-videos';

const MIGRATIONS = path.join(__dirname, '../migrations');
/** For calls with an idempotency key. */
const KEPT_REPLIES = { maxReplyBytes: 32 * 1024 ** 2, maxAccountBytes: 256 * 1024 ** 2 };
/** Calls that wait for the result of another one with their idempotency key: in all, and of one account. */
const MAX_WAITERS = 256;
const MAX_ACCOUNT_WAITERS = 4;
/** Memory for replayed responses; one account may use a quarter, enough for one of the largest. */
const MAX_REPLAYED_BYTES = 4 * KEPT_REPLIES.maxReplyBytes;
const SWEEP_MS = 60_000;
/** For the queries of a scrape, which have their own connection, so that they and calls don't delay each other. */
const COUNT_TIMEOUT_MS = 2_000;
/** For the rest of the shutdown, after the drain: polls, deliveries, the last heartbeat. */
const STOP_REST_MS = 10_000;

export async function startMedia(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const trust = createTrust('media', settings, log);
  await checkUploadDirectory(settings.UPLOAD_DIR);
  const upstream = new UpstreamHttp({ refusesHost: refusedHosts(settings) });
  const environment = createProviders(settings, env, upstream);
  const pool = createPool({ url: settings.DATABASE_URL, log });
  await awaitMigrations({ pool, schema: 'media', directory: MIGRATIONS, log });

  const catalog = connectCatalog(settings, trust);
  const models = new CatalogWatch({ client: catalog, log, fromProto: fromProtoModel });
  const mediaBilling = await createBilling({ settings, log, pool, trust });
  const { cells } = mediaBilling;
  const keys = new KeyClient(cells);
  const funds = new AccountFunds(cells);
  const store = new Idempotency(pool, { ...KEPT_REPLIES, instanceId: mediaBilling.instanceId });
  const sweeping = every(SWEEP_MS, 'idempotency', log, () => store.sweep());
  const health = new TargetHealth(() => performance.now(), settings.CIRCUIT_OPEN_MS);
  const providers = openProviders({
    environment,
    catalog,
    secrets: { keys: settings.CREDENTIALS_KEY, env, directory: settings.CREDENTIALS_DIR },
    upstream,
    health,
    log,
  });
  const countPool = createPool({
    url: settings.DATABASE_URL,
    log,
    maxConnections: 1,
    statementTimeoutMs: COUNT_TIMEOUT_MS,
  });
  const metrics = createMediaMetrics({
    callsInFlight: () => link.callsInFlight,
    health,
    countBills: () => countBills(countPool),
    countTasks: () => countOpenTasks(countPool),
    countTimeoutMs: COUNT_TIMEOUT_MS,
  });
  const quotas = createQuotaMetrics(metrics.registry, 'media');
  const uploads = new UploadQuota({
    maxBytes: settings.UPLOAD_MAX_BYTES,
    maxFormBytes: FORM_LIMITS.maxFilesBytes,
    hasFunds: (accountId) => funds.hasFunds(accountId),
  });
  quotas.track('uploads', uploads.all);
  quotas.track('unpaid_uploads', uploads.unpaid);
  const shared = {
    settings,
    quotas,
    models,
    keys,
    health,
    failover: new Failover({
      health,
      limiter: new CredentialLimiter(() => performance.now()),
      metrics: metrics.targets,
    }),
    idempotent: new IdempotentCalls({
      store,
      waitMs: settings.IMAGE_TIMEOUT_MS,
      replays: quotas.track(
        'replays',
        new Quota({ limit: MAX_REPLAYED_BYTES, perHolder: MAX_REPLAYED_BYTES / 4 }),
      ),
      waiters: quotas.track(
        'waiting_repeats',
        new Quota({ limit: MAX_WAITERS, perHolder: MAX_ACCOUNT_WAITERS }),
      ),
    }),
    forms: new FormReader({
      directory: settings.UPLOAD_DIR,
      space: uploads,
      limits: FORM_LIMITS,
    }),
  };
  const { forms } = shared;
  const { admission } = mediaBilling;
  const images = openImages({ ...shared, admission, providers: providers.images });
  const videos = openVideos({
    ...shared,
    log,
    pool,
    mediaBilling,
    providers: providers.videos,
    taskMetrics: metrics.tasks,
  });
  const audio = openAudio({ ...shared, admission, providers: providers.audio });
  const transcription = { ...audio.deps, forms, cpu: audioCpuQuota() };
  const refusals = new CellRefusals(cells, log);
  const routes = routeCall<'media'>({
    images: images.create,
    images_generations: images.create,
    images_edits: images.create,
    speech: createSpeech(audio.deps),
    transcriptions: createTranscription(transcription, 'transcriptions'),
    translations: createTranscription(transcription, 'translations'),
    ...videos.routes,
  });
  const link = new LinkServer({
    log,
    handler: withRefusalReports(refusals, routes),
  });
  const simulated = simulatedProviders(PROVIDERS, env, settings.SIM_BASE_URL);
  const listing = listProviders({
    providers: providers.ids,
    isSimulated: (id) => simulated.has(id) && providers.isOfEnvironment(id),
    health,
  });
  const grpc = await startGrpc(settings, trust, log, { link, listing, providers });
  const admin = await startAdminServer({
    host: settings.BIND_HOST,
    port: settings.ADMIN_PORT,
    metrics: metrics.registry,
    certificateExpiry: () => trust.certificateExpiry(),
    checks: {
      catalog: () => models.loaded && providers.loaded,
      billing: connectedOnce(() => mediaBilling.up),
      database: () => ping(pool),
    },
  });

  videos.poller.start();

  return {
    ports: { grpc: grpc.port, admin: admin.port },
    stopTimeoutMs: settings.DRAIN_TIMEOUT_MS + STOP_REST_MS,
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, settings.DRAIN_TIMEOUT_MS).unref());
      await Promise.race([Promise.all([link.drain(), images.jobs.idle(), audio.calls.idle()]), late]);
      await sweeping.stop();
      link.close();
      await grpc.stop(1_000);
      await refusals.close();
      await videos.poller.stop();
      upstream.close();
      await mediaBilling.close();
      models.close();
      await providers.close();
      catalog.close();
      await Promise.all([pool.end(), countPool.end()]);
      await admin.stop();
    },
  };
}

interface GrpcHandlers {
  readonly link: LinkServer;
  readonly listing: ReturnType<typeof listProviders>;
  readonly providers: MediaProviders;
}

function startGrpc(
  settings: Settings,
  trust: Trust,
  log: Logger,
  { link, listing, providers }: GrpcHandlers,
) {
  const { images, videos } = providers;
  const probe = probeProvider({
    accountsOf: (id) => (videos.has(id) ? videos.accountsOf(id) : images.accountsOf(id)),
  });
  const { MediaService } = loadService<MediaProto>('media').gateway.media.v1;
  return startGrpcServer({
    host: settings.BIND_HOST,
    port: settings.GRPC_PORT,
    trust,
    log,
    services: [
      {
        definition: MediaService.service,
        handlers: {
          Relay: link.relay,
          ListProviders: unary(log, listing),
          ProbeProvider: unary(log, probe),
        },
      },
    ],
  });
}

function connectCatalog({ DNS_SERVERS, ZONE, CATALOG_ADDR }: Settings, trust: Trust) {
  const { CatalogService } = loadService<CatalogProto>('catalog').gateway.catalog.v1;
  return createGrpcClient(CatalogService, {
    trust,
    dnsServers: DNS_SERVERS,
    zone: ZONE,
    addresses: CATALOG_ADDR,
  });
}
