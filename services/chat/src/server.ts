import path from 'node:path';
import {
  annotateFailure,
  grpcDelivery,
  KeyClient,
  kafkaDelivery,
  ReserveClient,
  reportRefusals,
  retryWithCurrentKey,
  startHeartbeat,
  UsageRelay,
  withCurrentKey,
  withRefusalReports,
} from '@gateway/call-billing';
import { CatalogWatch } from '@gateway/catalog-client';
import { GatewayError } from '@gateway/errors';
import { type LinkHandler, LinkServer } from '@gateway/link';
import {
  addresses,
  grpcSettings,
  type Logger,
  milliseconds,
  port,
  processSettings,
  type RunningService,
  readConfig,
  startAdminServer,
  z,
} from '@gateway/process';
import type { ProtoGrpcType as BillingProto } from '@gateway/proto/generated/billing';
import type { ProtoGrpcType as CatalogProto } from '@gateway/proto/generated/catalog';
import type { ProtoGrpcType as ChatProto } from '@gateway/proto/generated/chat';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import { BodyRoom } from '@gateway/quota';
import { createGrpcClient, createGrpcClients, loadService, startGrpcServer, unary } from '@gateway/rpc';
import { listProviders, simulatedProviders, TargetHealth } from '@gateway/upstream';
import { fromProtoModel } from './clients/from-proto-model';
import { MediaProviders } from './clients/media-providers';
import { CountingShare } from './domain/counting-share';
import { ExpectedOutputs } from './domain/expected-outputs';
import { MAX_REPLY_BYTES, ReplyRoom } from './domain/reply-room';
import { Journal } from './journal/journal';
import { createChatMetrics } from './metrics';
import { createProviders, KNOWN } from './providers/registry';
import { UnreadBudget } from './providers/unread-budget';
import { UpstreamHttp } from './providers/upstream-http';
import { recoverPreviousEpochs } from './recover-previous-epochs';
import { AbandonedCalls } from './rpc/abandoned-calls';
import { Admission } from './rpc/admission';
import { answerChat } from './rpc/answer-chat';
import { ChatRelay } from './rpc/chat-relay';
import { countTokens } from './rpc/count-tokens';
import { createChatCompletion } from './rpc/create-chat-completion';
import { createMessage } from './rpc/create-message';
import { Dispatcher } from './rpc/dispatcher';
import { getModel, listModels } from './rpc/list-models';
import { ProgressClock } from './rpc/progress-clock';
import { routeCall } from './rpc/route-call';

const settings = {
  ...processSettings,
  ...grpcSettings,
  GRPC_PORT: port(7103),
  CATALOG_ADDR: addresses(),
  BILLING_ADDR: addresses(),
  /** Absent: there are no images and videos, and model lists show none. */
  MEDIA_ADDR: addresses().optional(),
  /** Holds the usage journal; must outlive the process, and belong to it alone. */
  DATA_DIR: z.string(),
  JOURNAL_MAX_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(256 * 1024 ** 2),
  /** Of all calls under way together, each until it has ended; what is made of a body takes several times as much. */
  BODY_MEMORY_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(512 * 1024 ** 2),
  /** Of the replies that are no streams, each until its caller has it; the largest must fit where an account has half. */
  REPLY_MEMORY_BYTES: z.coerce
    .number()
    .int()
    .min(2 * MAX_REPLY_BYTES)
    .default(512 * 1024 ** 2),
  /** Absent: usage goes to billing over gRPC. */
  KAFKA_BROKERS: addresses().optional(),
  KAFKA_TOPIC_PREFIX: z.string().default(''),
  CHAT_PROVIDERS: z.string().default('openai,anthropic,google,deepseek,mistral,xai'),
  SIM_BASE_URL: z.url().optional(),
  /** Top-level fields of a call that its format does not document. */
  UNKNOWN_FIELDS: z.enum(['refuse', 'forward']).default('refuse'),
  UPSTREAM_CONNECT_TIMEOUT_MS: milliseconds(5_000),
  /** Below edge's own patience, so that the caller learns that the provider was slow. */
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: milliseconds(540_000),
  UPSTREAM_IDLE_TIMEOUT_MS: milliseconds(120_000),
  /** Of silence, after which the caller of a stream is told that it goes on. */
  KEEP_ALIVE_MS: milliseconds(15_000),
  /** From the opening of a target's circuit to its first probe. */
  CIRCUIT_OPEN_MS: milliseconds(10_000),
  /** How long a provider is listened to once the caller has disconnected; below the drain, so that a stop waits for it. */
  ABANDONED_CALL_TIMEOUT_MS: milliseconds(540_000),
  /** Of one account, before new calls of models that hide their reasoning are refused. */
  MAX_ABANDONED_CALLS: z.coerce.number().int().positive().default(500),
  RESERVE_TIMEOUT_MS: milliseconds(5_000),
  /** Beyond the longest stream that there should be. */
  DRAIN_TIMEOUT_MS: milliseconds(600_000),
};

/** An account has room for this part of all bodies, or replies, as long as any but the last eighth is free. */
const ACCOUNT_SHARES = 16;
/** CPU per second for counting prompts. Separate budgets: an uncounted prompt may be refused at admission, while
 * `count_tokens` may answer with an estimate. */
const ADMISSION_COUNTS_MS = 250;
const FREE_COUNTS_MS = 150;
const SEGMENT_BYTES = 8 * 1024 * 1024;
const UNREAD_BYTES = 64 * 1024 * 1024;
const DELIVERY_DRAIN_MS = 3_000;
/** For the rest of a stop, after the drain. */
const STOP_REST_MS = 10_000;

const roomFor = (maxBytes: number) => new BodyRoom(maxBytes, maxBytes / ACCOUNT_SHARES);

export async function startChat(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const config = readConfig(settings, env);
  const providers = createProviders(config, env, new UnreadBudget(UNREAD_BYTES));
  const peer = { secrets: config.SERVICE_SECRET, caller: 'chat' };
  const { BillingService } = loadService<BillingProto>('billing').gateway.billing.v1;
  const { CatalogService } = loadService<CatalogProto>('catalog').gateway.catalog.v1;
  const billing = createGrpcClient(BillingService, { ...peer, addresses: config.BILLING_ADDR });
  const billingInstances = createGrpcClients(BillingService, { ...peer, addresses: config.BILLING_ADDR });
  const catalog = createGrpcClient(CatalogService, { ...peer, addresses: config.CATALOG_ADDR });

  const { MediaService } = loadService<MediaProto>('media').gateway.media.v1;
  const media =
    config.MEDIA_ADDR && createGrpcClient(MediaService, { ...peer, addresses: config.MEDIA_ADDR });
  const mediaProviders = media && new MediaProviders(media, log);

  const models = new CatalogWatch({ client: catalog, log, fromProto: fromProtoModel });
  const journal = new Journal({
    directory: path.join(config.DATA_DIR, 'journal'),
    maxBytes: config.JOURNAL_MAX_BYTES,
    segmentBytes: SEGMENT_BYTES,
  });
  const relay = new UsageRelay({
    delivery: config.KAFKA_BROKERS
      ? kafkaDelivery({
          clientId: 'gateway-chat',
          brokers: config.KAFKA_BROKERS,
          topicPrefix: config.KAFKA_TOPIC_PREFIX,
          log,
        })
      : grpcDelivery(billing),
    log,
    onDelivered: (event) => journal.acknowledge(event.requestId),
  });
  const reserve: ReserveClient = new ReserveClient({
    clients: billingInstances,
    log,
    timeoutMs: config.RESERVE_TIMEOUT_MS,
    onUnknownOutcome: ({ requestId = '', accountId = '', keyId = '', model = '' }, error) => {
      // What gives it back makes its record.
      annotateFailure(error, { model, hasHold: true });
      admission
        .giveBack({ requestId, accountId, keyId, model })
        .catch((err) => log.error({ err }, 'give back'));
    },
  });
  const admission = new Admission({ reserve, journal, relay, outputs: new ExpectedOutputs() });
  const stopping = new AbortController();
  await recoverPreviousEpochs({ billing, journal, relay, log, signal: stopping.signal });
  const stopHeartbeat = startHeartbeat(billing, journal.owner, log);

  const upstream = new UpstreamHttp(config.KEEP_ALIVE_MS);
  const clock = new ProgressClock();
  const health = new TargetHealth(() => performance.now(), config.CIRCUIT_OPEN_MS);
  const bodies = roomFor(config.BODY_MEMORY_BYTES);
  const replies = new ReplyRoom(roomFor(config.REPLY_MEMORY_BYTES));
  const abandoned = new AbandonedCalls({
    maxOfAccount: config.MAX_ABANDONED_CALLS,
    timeoutMs: config.ABANDONED_CALL_TIMEOUT_MS,
  });
  const metrics = createChatMetrics(health, bodies, replies, abandoned);
  const dispatcher = new Dispatcher({
    upstream,
    health,
    metrics: metrics.targets,
    holdMs: config.KEEP_ALIVE_MS,
    timeouts: {
      connectMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
      firstByteMs: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
      idleMs: config.UPSTREAM_IDLE_TIMEOUT_MS,
    },
  });
  const chatRelay = new ChatRelay({
    dispatcher,
    abandoned,
    clock,
    metrics: metrics.targets,
    health,
    replies,
    quietMs: config.KEEP_ALIVE_MS,
  });
  const countingShare = (allMs: number) => new CountingShare(() => performance.now(), allMs);
  const answer = answerChat({
    models,
    providers,
    admission,
    relay: chatRelay,
    abandoned,
    counting: countingShare(ADMISSION_COUNTS_MS),
  });
  const keys = new KeyClient(billing);
  const refusals = reportRefusals(billing, log);
  const isMediaProvider = mediaProviders?.serves ?? (() => false);
  const listed = { models, providers, isMediaProvider, admission };
  const routes = routeCall({
    chatCompletion: createChatCompletion(answer, config.UNKNOWN_FIELDS),
    message: createMessage(answer, config.UNKNOWN_FIELDS),
    countTokens: countTokens({ models, admission, counting: countingShare(FREE_COUNTS_MS) }),
    listModels: withCurrentKey(keys, listModels(listed)),
    getModel: withCurrentKey(keys, getModel(listed)),
  });
  const refuse: LinkHandler = () => {
    metrics.bodiesRefused.inc();
    return Promise.reject(new GatewayError('rate_limited', { retryAfterSeconds: 1 }));
  };
  const link = new LinkServer({
    log,
    handler: withRefusalReports(refusals, retryWithCurrentKey(keys, routes)),
    room: { bodies, refuse: withRefusalReports(refusals, refuse) },
  });

  const { ChatService } = loadService<ChatProto>('chat').gateway.chat.v1;
  const simulated = simulatedProviders(KNOWN, env, config.SIM_BASE_URL);
  const listing = listProviders({ providers: providers.keys(), simulated, health });
  const grpc = await startGrpcServer({
    host: config.BIND_HOST,
    port: config.GRPC_PORT,
    secrets: config.SERVICE_SECRET,
    services: [
      {
        definition: { Relay: ChatService.service.Relay },
        handlers: { Relay: link.relay },
        callers: ['edge', 'dashboard'],
      },
      {
        definition: { ListProviders: ChatService.service.ListProviders },
        handlers: { ListProviders: unary(log, listing) },
        callers: ['dashboard'],
      },
    ],
  });
  const admin = await startAdminServer({
    host: config.BIND_HOST,
    port: config.ADMIN_PORT,
    metrics: metrics.registry,
    checks: { catalog: () => models.loaded, billing: () => reserve.up, journal: () => journal.admits },
  });

  return {
    ports: { grpc: grpc.port, admin: admin.port },
    stopTimeoutMs: config.DRAIN_TIMEOUT_MS + STOP_REST_MS,
    async stop() {
      stopping.abort();
      const late = new Promise((resolve) => setTimeout(resolve, config.DRAIN_TIMEOUT_MS).unref());
      await Promise.race([link.drain(), late]);
      link.close();
      await grpc.stop(1_000);
      await refusals.close();
      await relay.close(DELIVERY_DRAIN_MS);
      journal.close();
      stopHeartbeat();
      clock.close();
      reserve.close();
      models.close();
      upstream.close();
      await mediaProviders?.close();
      for (const client of [billing, catalog, media, ...billingInstances]) client?.close();
      await admin.stop();
    },
  };
}
