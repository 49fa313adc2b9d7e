import { setTimeout as sleep } from 'node:timers/promises';
import { CellRefusals, connectCells } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import { LinkPool } from '@gateway/link';
import {
  connectedOnce,
  createQuotaMetrics,
  type Logger,
  listen,
  type RunningService,
  SecurityLog,
  startAdminServer,
} from '@gateway/process';
import type { ProtoGrpcType as ChatProto } from '@gateway/proto/generated/chat';
import type { ProtoGrpcType as DashboardProto } from '@gateway/proto/generated/dashboard';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import type { ProtoGrpcType as StorageProto } from '@gateway/proto/generated/storage';
import { FairSemaphore, memoryQuota } from '@gateway/quota';
import { createGrpcClient, createGrpcClients, createTrust, loadService, type Trust } from '@gateway/rpc';
import { AccessLog, appendAccessLog } from './clients/access-log';
import { keyResolver, watchKeys } from './clients/billing-keys';
import { authorizePlayground } from './clients/playground-authorization';
import { fetchSigningKeys } from './clients/signing-keys';
import { throttleLeases } from './clients/throttle-lease';
import { type SpaceOf, spaceByHost, spaceOfPort } from './domain/address-space';
import { KeyCache } from './domain/key-cache';
import { LoginTokens } from './domain/login-tokens';
import { Throttle } from './domain/throttle';
import { createDashboardProxy } from './http/dashboard-proxy';
import { drainServer } from './http/drain-server';
import { createEdgeApp } from './http/edge-app';
import { createEdgeHttpServer } from './http/edge-http-server';
import { EdgeListener } from './http/edge-listener';
import type { Exchange } from './http/exchange';
import type { BodyLimits } from './http/read-body';
import type { SendLimits } from './http/send-body';
import { createEdgeMetrics, type EdgeMetrics } from './metrics';
import { answerApi } from './routes/api';
import { answerDashboard, type DashboardDependencies } from './routes/dashboard';
import { readSettings, type Settings } from './settings';

const REFUSED_KEY_RETRY_MS = 100;
/** For the rest of the shutdown, after the lame-duck time and the grace for calls in flight. */
const STOP_REST_MS = 10_000;
/** Node decompresses in four threads, which it needs for other work too. */
const DECODING_LIMITS = {
  concurrency: 3,
  perHolder: 2,
  maxWaiting: 1_000,
  maxWaitingPerHolder: 100,
  maxWaitMs: 10_000,
};
const MAX_REFUSED_KEYS = 10_000;
const MIN_KEY_SET_REFETCH_MS = 3_000;
const MAX_KEY_SET_AGE_MS = 300_000;

export async function startEdge(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const trust = createTrust('edge', settings, log);
  const clients = createClients(settings, trust);
  const { cells } = clients;
  const billing = cells.home.client;
  const keys = new KeyCache({
    resolve: keyResolver(cells),
    maxEntries: settings.EDGE_KEY_CACHE_ENTRIES,
    maxRefusedKeys: MAX_REFUSED_KEYS,
    refusedKeyRetryMs: REFUSED_KEY_RETRY_MS,
  });
  const watches = cells.map((cell) => watchKeys(cell, keys, log));
  const chat = new LinkPool({ name: 'chat.Relay', instances: clients.chats, log });
  const media = clients.medias && new LinkPool({ name: 'media.Relay', instances: clients.medias, log });
  const storage =
    clients.storages && new LinkPool({ name: 'storage.Relay', instances: clients.storages, log });
  const tokens = new LoginTokens({
    fetchKeys: () => fetchSigningKeys(clients.dashboard),
    minRefetchMs: MIN_KEY_SET_REFETCH_MS,
    maxAgeMs: MAX_KEY_SET_AGE_MS,
  });
  const proxy = createDashboardProxy({
    target: settings.DASHBOARD_HTTP_URL,
    trust,
    timeoutMs: settings.EDGE_DASHBOARD_TIMEOUT_MS,
  });
  const bodyLimits = bodyLimitsOf(settings);
  const accessLog = new AccessLog({ send: appendAccessLog(billing), log });
  const metrics = createEdgeMetrics({ keys, accessLog });
  const quotaMetrics = createQuotaMetrics(metrics.registry, 'edge');
  quotaMetrics.track('api_bodies', bodyLimits.api.memory);
  quotaMetrics.track('dashboard_bodies', bodyLimits.dashboard.memory);

  const security = new SecurityLog({ log, registry: metrics.registry });
  const throttle = new Throttle({ lease: throttleLeases(billing), nowMs: () => performance.now() });
  const refusals = new CellRefusals(cells, log);
  const api = {
    keys,
    refusals,
    throttle,
    corsOrigins: settings.EDGE_CORS_ORIGINS,
    links: { chat, ...(media && { media }), ...(storage && { storage }) },
    bodyLimits: bodyLimits.api,
    uploadLimits: bodyLimits.upload,
    callTimeoutMs: settings.EDGE_CALL_TIMEOUT_MS,
    stallTimeoutMs: settings.EDGE_STALL_TIMEOUT_MS,
  };
  const dashboard: DashboardDependencies = {
    tokens,
    throttle,
    proxy,
    bodyLimits: bodyLimits.dashboard,
    playground: {
      ...api,
      bodyLimits: bodyLimits.dashboard,
      uploadLimits: bodyLimits.dashboardUpload,
      authorize: (request, requestId) => authorizePlayground(clients.dashboard, request, requestId),
    },
  };
  const publicPorts = publicPortsOf(settings).map((address) => {
    const answer = async (exchange: Exchange) => {
      const space = address.spaceOf(exchange.request.headers.host);
      if (space === 'api') return answerApi(exchange, api);
      if (space === 'dashboard') return answerDashboard(exchange, dashboard);
      throw new GatewayError('not_found');
    };
    return {
      ...address,
      ...createPublicPort(settings, { metrics, security, accessLog, answer, log }),
    };
  });
  let stopping = false;
  const admin = await startAdminServer({
    host: settings.BIND_HOST,
    port: settings.ADMIN_PORT,
    metrics: metrics.registry,
    certificateExpiry: () => trust.certificateExpiry(),
    checks: {
      stopping: () => !stopping,
      chat: connectedOnce(() => chat.up),
      billing: connectedOnce(() => watches.home.up),
    },
  });
  const ports: Record<string, number> = { admin: admin.port };
  for (const { name, port, server } of publicPorts)
    ports[name] = await listen(server, port, settings.BIND_HOST, settings.EDGE_REUSE_PORT === 'on');

  return {
    ports,
    stopTimeoutMs: settings.EDGE_LAME_DUCK_MS + settings.EDGE_STOP_GRACE_MS + STOP_REST_MS,
    async stop() {
      stopping = true;
      for (const { listener } of publicPorts) listener.beginClosing(settings.EDGE_LAME_DUCK_MS);
      // Load balancers see /readyz fail and stop sending; connections are served until they do.
      await sleep(settings.EDGE_LAME_DUCK_MS);
      await Promise.all(publicPorts.map(({ server }) => drainServer(server, settings.EDGE_STOP_GRACE_MS)));
      chat.close();
      media?.close();
      storage?.close();
      for (const watch of watches.all) watch.close();
      throttle.close();
      await refusals.close();
      await accessLog.close();
      proxy.close();
      for (const { client } of cells.all) client.close();
      clients.dashboard.close();
      await admin.stop();
    },
  };
}

interface AllBodyLimits {
  readonly api: BodyLimits;
  readonly upload: SendLimits;
  readonly dashboard: BodyLimits;
  readonly dashboardUpload: SendLimits;
}

function bodyLimitsOf(settings: Settings): AllBodyLimits {
  const decoding = new FairSemaphore(DECODING_LIMITS);
  const limits = (maxBytes: number, memoryBytes: number): BodyLimits => ({
    decoding,
    maxBytes,
    timeoutMs: settings.EDGE_BODY_TIMEOUT_MS,
    progressMs: settings.EDGE_BODY_PROGRESS_MS,
    memory: memoryQuota(memoryBytes, maxBytes),
  });
  const upload = {
    maxBytes: settings.EDGE_MAX_UPLOAD_BYTES,
    timeoutMs: settings.EDGE_UPLOAD_TIMEOUT_MS,
    stallTimeoutMs: settings.EDGE_STALL_TIMEOUT_MS,
  };
  const api = limits(settings.EDGE_MAX_BODY_BYTES, settings.EDGE_BODY_MEMORY_BYTES);
  const dashboard = limits(settings.EDGE_DASHBOARD_MAX_BODY_BYTES, settings.EDGE_DASHBOARD_BODY_MEMORY_BYTES);
  return { api, upload: { ...api, ...upload }, dashboard, dashboardUpload: { ...dashboard, ...upload } };
}

interface PublicPortDependencies {
  readonly metrics: EdgeMetrics;
  readonly security: SecurityLog;
  readonly accessLog: AccessLog;
  readonly answer: (exchange: Exchange) => Promise<void>;
  readonly log: Logger;
}

/** Creates one public port: its server and the listener of its requests. */
function createPublicPort(
  settings: Settings,
  { metrics, security, accessLog, answer, log }: PublicPortDependencies,
) {
  const listener = new EdgeListener({
    isTrustedProxy: settings.EDGE_TRUSTED_PROXIES,
    hstsMaxAgeSeconds: settings.EDGE_HSTS_MAX_AGE_S,
    onBegin: metrics.begin,
    onEnd: (exchange) => {
      metrics.end(exchange);
      accessLog.add(exchange);
    },
    onUnparsable: () => metrics.unparsable.inc(),
    onRawError: (answered) => accessLog.addUnparsable(answered),
    onCredentialsRefused: ({ route, clientAddress, requestId }, { code }) =>
      security.record({
        event: route === 'dashboard_api' ? 'token.refused' : 'key.refused',
        address: clientAddress,
        requestId,
        reason: code,
      }),
    log,
  });
  const server = createEdgeHttpServer(listener, createEdgeApp(listener, answer), {
    headerTimeoutMs: settings.EDGE_HEADER_TIMEOUT_MS,
    bodyTimeoutMs: Math.max(settings.EDGE_BODY_TIMEOUT_MS, settings.EDGE_UPLOAD_TIMEOUT_MS),
    keepAliveMs: settings.EDGE_KEEP_ALIVE_MS,
    maxConnections: settings.EDGE_MAX_CONNECTIONS,
  });
  return { listener, server };
}

function createClients(settings: Settings, trust: Trust) {
  const shared = { trust, dnsServers: settings.DNS_SERVERS, zone: settings.ZONE };
  const { ChatService } = loadService<ChatProto>('chat').gateway.chat.v1;
  const { DashboardService } = loadService<DashboardProto>('dashboard').gateway.dashboard.v1;
  const { MediaService } = loadService<MediaProto>('media').gateway.media.v1;
  const { StorageService } = loadService<StorageProto>('storage').gateway.storage.v1;
  return {
    cells: connectCells(
      { home: settings.BILLING_ADDR, others: settings.cells, peer: shared },
      (cell) => cell,
    ),
    chats: createGrpcClients(ChatService, { ...shared, addresses: settings.CHAT_ADDR }),
    medias:
      settings.MEDIA_ADDR && createGrpcClients(MediaService, { ...shared, addresses: settings.MEDIA_ADDR }),
    storages:
      settings.STORAGE_ADDR &&
      createGrpcClients(StorageService, { ...shared, addresses: settings.STORAGE_ADDR }),
    dashboard: createGrpcClient(DashboardService, { ...shared, addresses: settings.DASHBOARD_ADDR }),
  };
}

function publicPortsOf(settings: Settings): { name: string; port: number; spaceOf: SpaceOf }[] {
  const { EDGE_API_HOSTS: apiHosts, EDGE_DASHBOARD_HOSTS: dashboardHosts } = settings;
  if (apiHosts.length > 0) {
    return [{ name: 'api', port: settings.EDGE_API_PORT, spaceOf: spaceByHost(apiHosts, dashboardHosts) }];
  }
  return [
    { name: 'api', port: settings.EDGE_API_PORT, spaceOf: spaceOfPort('api') },
    { name: 'dashboard', port: settings.EDGE_DASHBOARD_PORT, spaceOf: spaceOfPort('dashboard') },
  ];
}
