import path from 'node:path';
import { connectCells } from '@gateway/call-billing';
import { awaitMigrations, createPool, ping } from '@gateway/postgres';
import {
  closeServer,
  type Logger,
  listen,
  type RunningService,
  SecurityLog,
  SettingsError,
  signingSecrets,
  startAdminServer,
} from '@gateway/process';
import type { ProtoGrpcType as CatalogProto } from '@gateway/proto/generated/catalog';
import type { ProtoGrpcType as ChatProto } from '@gateway/proto/generated/chat';
import type { ProtoGrpcType as DashboardProto } from '@gateway/proto/generated/dashboard';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import {
  createGrpcClient,
  createGrpcClients,
  createTrust,
  loadService,
  startGrpcServer,
  type Trust,
  unary,
} from '@gateway/rpc';
import { FirstOperator } from './actions/first-operator';
import { recordChange } from './actions/record-change';
import { recordLookup, recordRefusedToken } from './actions/record-lookup';
import { SecurityEvents } from './actions/security-events';
import { Billing } from './clients/billing';
import { CatalogEditor } from './clients/catalog-editor';
import { ConfigEditor } from './clients/config-editor';
import { ModelDirectory } from './clients/model-directory';
import { PriceList } from './clients/price-list';
import { ProviderEditor } from './clients/provider-editor';
import { ProviderInstances } from './clients/provider-instances';
import { ProviderProbe } from './clients/provider-probe';
import { SecretScanningKeys } from './clients/secret-scanning-keys';
import { normaliseEmail } from './domain/email';
import { passwordProblem } from './domain/password';
import { SequenceMask } from './domain/sequence-mask';
import { authenticate, readBearer } from './http/authenticate';
import { createApp } from './http/create-app';
import { serveApiDocument } from './http/serve-api-document';
import { loadWebFiles } from './http/web-files';
import { webUi } from './http/web-ui';
import { createDashboardMetrics } from './metrics';
import { apiDocument } from './openapi/api-document';
import { readV1Bodies } from './openapi/read-v1-bodies';
import { endpoints } from './routes/endpoints';
import { authorizePlaygroundCall } from './rpc/authorize-playground-call';
import { getSigningKeys } from './rpc/get-signing-keys';
import { LoginTokens } from './security/login-tokens';
import { PasswordHasher } from './security/password-hasher';
import { SigningKeys } from './security/signing-keys';
import { readSettings, type Settings } from './settings';
import type { AttemptLimit } from './store/attempts';

const HEADERS_TIMEOUT_MS = 10_000;
/** Edge sends requests complete. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the proxy keeps an idle connection, so that the proxy is the one to close it. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const STOP_GRACE_MS = 5_000;
const LOGIN_WINDOW_SECONDS = 15 * 60;
const HOUR_SECONDS = 60 * 60;
/** By one user: each reads up to 100,000 entries. */
const EXPORTS_PER_HOUR = 60;

export async function start(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const trust = createTrust('dashboard', settings, log);
  const operator = readOperator(settings);
  const pool = createPool({ url: settings.DATABASE_URL, log });
  await awaitMigrations({ pool, schema: 'dashboard', directory: path.join(__dirname, '../migrations'), log });

  const peer = { trust, dnsServers: settings.DNS_SERVERS, zone: settings.ZONE };
  const { CatalogService } = loadService<CatalogProto>('catalog').gateway.catalog.v1;
  const { DashboardService } = loadService<DashboardProto>('dashboard').gateway.dashboard.v1;
  const cells = connectCells({ home: settings.BILLING_ADDR, others: settings.cells, peer }, (cell) => cell);
  const catalogClient = createGrpcClient(CatalogService, { ...peer, addresses: settings.CATALOG_ADDR });
  const mask = new SequenceMask(signingSecrets(settings));
  const billing = new Billing({ cells, newAccountCells: settings.newAccountCells, mask });
  const models = new ModelDirectory(catalogClient, log);
  const editor = new CatalogEditor(catalogClient, models);
  const providerServices = connectProviderServices(settings, trust);
  const signingKeys = new SigningKeys(settings.JWT_SIGNING_KEY);
  const tokens = new LoginTokens(signingKeys);
  const hasher = new PasswordHasher();
  const firstOperator = operator && new FirstOperator({ pool, billing, hasher }, operator, log);

  const metrics = createDashboardMetrics();
  const security = new SecurityLog({ log, registry: metrics.registry });
  const events = new SecurityEvents({ pool, security, log });
  const webFiles = await loadWebFiles(path.join(__dirname, '../web/dist'));
  if (webFiles.size === 0) log.warn('web UI not built: serving the API only');
  let closing = false;
  const limits = readLimits(settings);
  const answered = endpoints({
    pool,
    billing,
    models,
    editor,
    hasher,
    tokens,
    events,
    scanningKeys: new SecretScanningKeys({
      url: settings.SECRET_SCANNING_KEYS_URL,
      file: settings.SECRET_SCANNING_KEYS_FILE,
    }),
    limits,
    mask,
    apiUrl: settings.PUBLIC_API_URL,
    registration: settings.REGISTRATION,
    instances: providerServices.instances,
    providers: new ProviderEditor(catalogClient),
    probe: providerServices.probe,
    priceList: new PriceList(catalogClient),
    config: new ConfigEditor(catalogClient),
  });
  const v1Bodies = await readV1Bodies(path.join(__dirname, '../openapi/v1-bodies.json'));
  const app = createApp({
    endpoints: answered,
    authenticate: (authorization, forRenewal) =>
      authenticate({ pool, tokens }, readBearer(authorization), forRenewal),
    recordChange: (endpoint, call) =>
      recordChange({ pool, events, changePerAccount: limits.changePerAccount }, endpoint, call),
    refusedToken: (error, head) => recordRefusedToken(events, error, head),
    lookedUp: (endpoint, call, result) => recordLookup(events, endpoint, call, result),
    apiDocument: serveApiDocument(() =>
      apiDocument({ endpoints: answered, v1Bodies, apiUrl: settings.PUBLIC_API_URL }),
    ),
    webUi: webUi(webFiles),
    trust,
    log,
    metrics,
    closing: () => closing,
  });
  const server = trust.createHttpServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    app,
  );
  const httpPort = await listen(server, settings.HTTP_PORT, settings.BIND_HOST);
  const grpcServer = await startGrpcServer({
    host: settings.BIND_HOST,
    port: settings.GRPC_PORT,
    trust,
    log,
    services: [
      {
        definition: DashboardService.service,
        handlers: {
          GetSigningKeys: unary(log, getSigningKeys(signingKeys)),
          AuthorizePlaygroundCall: unary(
            log,
            authorizePlaygroundCall({
              billing,
              authenticate: (token) => authenticate({ pool, tokens }, token),
            }),
          ),
        },
      },
    ],
  });
  const admin = await startAdminServer({
    host: settings.BIND_HOST,
    port: settings.ADMIN_PORT,
    metrics: metrics.registry,
    certificateExpiry: () => trust.certificateExpiry(),
    checks: {
      database: () => ping(pool),
      catalog: () => models.loaded,
      operator: () => firstOperator?.isDone ?? true,
    },
  });
  return {
    ports: { http: httpPort, grpc: grpcServer.port, admin: admin.port },
    async stop() {
      closing = true;
      const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
      await Promise.all([closeServer(server), grpcServer.stop(STOP_GRACE_MS), firstOperator?.close()]);
      clearTimeout(cut);
      models.close();
      providerServices.close();
      for (const { client } of cells.all) client.close();
      catalogClient.close();
      await admin.stop();
      await pool.end();
    },
  };
}

/** Connects to the services that call providers. */
function connectProviderServices(settings: Settings, trust: Trust) {
  const { DNS_SERVERS: dnsServers, ZONE: zone, CHAT_ADDR, MEDIA_ADDR } = settings;
  const peer = { trust, dnsServers, zone };
  const { ChatService } = loadService<ChatProto>('chat').gateway.chat.v1;
  const { MediaService } = loadService<MediaProto>('media').gateway.media.v1;
  const instances = new ProviderInstances();
  if (CHAT_ADDR) instances.add('chat', createGrpcClients(ChatService, { ...peer, addresses: CHAT_ADDR }));
  if (MEDIA_ADDR) instances.add('media', createGrpcClients(MediaService, { ...peer, addresses: MEDIA_ADDR }));
  const chat = CHAT_ADDR && createGrpcClient(ChatService, { ...peer, addresses: CHAT_ADDR });
  const media = MEDIA_ADDR && createGrpcClient(MediaService, { ...peer, addresses: MEDIA_ADDR });
  return {
    instances,
    probe: new ProviderProbe({ ...(chat && { chat }), ...(media && { media }) }),
    close() {
      instances.close();
      chat?.close();
      media?.close();
    },
  };
}

function readLimits(settings: Settings) {
  const limit =
    (windowSeconds: number) =>
    (name: string, maxAttempts: number): AttemptLimit => ({
      name,
      maxAttempts,
      windowSeconds,
    });
  const perLoginWindow = limit(LOGIN_WINDOW_SECONDS);
  const perHour = limit(HOUR_SECONDS);
  return {
    loginPerEmail: perLoginWindow('login by email', settings.LOGIN_LIMIT_PER_EMAIL),
    loginPerEmailAnywhere: perLoginWindow('login by email anywhere', settings.LOGIN_LIMIT_PER_EMAIL_ANYWHERE),
    loginPerUser: perLoginWindow('login by user', settings.LOGIN_LIMIT_PER_USER),
    loginPerAddress: perLoginWindow('login by address', settings.LOGIN_LIMIT_PER_ADDRESS),
    registerPerAddress: perHour('register by address', settings.REGISTER_LIMIT_PER_ADDRESS),
    changePerAccount: perHour('change by account', settings.CHANGE_LIMIT_PER_ACCOUNT),
    exportPerUser: perHour('export by user', EXPORTS_PER_HOUR),
    memberPerAccount: perHour('member by account', settings.MEMBER_LIMIT_PER_ACCOUNT),
    memberPerAddress: perHour('member by address', settings.MEMBER_LIMIT_PER_ADDRESS),
  };
}

function readOperator(settings: Settings): { email: string; password: string } | undefined {
  const { ADMIN_EMAIL, ADMIN_PASSWORD } = settings;
  if (ADMIN_EMAIL === undefined && ADMIN_PASSWORD === undefined) return undefined;
  const email = normaliseEmail(ADMIN_EMAIL ?? '');
  const problem = passwordProblem(ADMIN_PASSWORD ?? '', email ?? '');
  const problems = [
    ...(email === undefined ? ['ADMIN_EMAIL: not an email address'] : []),
    ...(problem ? [`ADMIN_PASSWORD: ${problem}`] : []),
  ];
  if (email === undefined || problem) throw new SettingsError(problems);
  return { email, password: ADMIN_PASSWORD ?? '' };
}
