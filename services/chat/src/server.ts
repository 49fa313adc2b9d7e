import {
  annotateFailure,
  CellRefusals,
  connectCells,
  KeyClient,
  ReserveClient,
  retryWithCurrentKey,
  startHeartbeat,
  UsageOutbox,
  WaitingEvents,
  withCurrentKey,
  withRefusalReports,
} from '@gateway/call-billing';
import { CatalogWatch, ProviderDirectory, ProviderWatch } from '@gateway/catalog-client';
import { findAddresses, HttpClient } from '@gateway/http-client';
import { type LinkHandler, LinkServer, routeCall } from '@gateway/link';
import {
  connectedOnce,
  createQuotaMetrics,
  type Logger,
  type RunningService,
  signingSecrets,
  startAdminServer,
} from '@gateway/process';
import type { ProtoGrpcType as CatalogProto } from '@gateway/proto/generated/catalog';
import type { ProtoGrpcType as ChatProto } from '@gateway/proto/generated/chat';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import type { ProtoGrpcType as StorageProto } from '@gateway/proto/generated/storage';
import { refusedHosts } from '@gateway/providers';
import { memoryQuota, Quota, quotaExhausted } from '@gateway/quota';
import { createGrpcClient, createTrust, loadService, startGrpcServer, unary } from '@gateway/rpc';
import {
  CredentialLimiter,
  DailyCosts,
  Failover,
  listProviders,
  SessionPins,
  simulatedProviders,
  TargetHealth,
} from '@gateway/upstream';
import { v7 as newId } from 'uuid';
import { AbandonedCalls } from './app/abandoned-calls';
import { answerChat, checkChat } from './app/answer-chat';
import { answerResponse } from './app/answer-response';
import { answerWholeReply } from './app/answer-whole-reply';
import { ChatRunner } from './app/chat-runner';
import { compactingProviders } from './app/compacting-providers';
import { completionProviders } from './app/completion-providers';
import { Dispatcher } from './app/dispatcher';
import { droppingTools } from './app/dropping-tools';
import { ProgressClock } from './app/progress-clock';
import { ProviderClient } from './app/provider-client';
import { queueResponse } from './app/queue-response';
import { Admission } from './app/reserve-call';
import { responseProviders } from './app/response-providers';
import { WholeReplyRunner } from './app/whole-reply-runner';
import { CredentialCostSync } from './clients/credential-cost-sync';
import { fromProtoModel } from './clients/from-proto-model';
import { MediaProviders } from './clients/media-providers';
import { requireFunds } from './clients/require-funds';
import { ResponseStorageClient } from './clients/response-storage-client';
import { AudioIdSealer } from './domain/audio-ids';
import { discountedModels } from './domain/discounted-models';
import { ExpectedOutputs } from './domain/expected-outputs';
import type { ModelLookup } from './domain/model';
import { tokenizerCpuQuota } from './domain/tokenizer-cpu-quota';
import { dropMessagesTools } from './formats/anthropic/dropped-tools';
import { dropContentsTools } from './formats/gemini/dropped-tools';
import { dropChatTools } from './formats/openai/dropped-tools';
import { dropResponsesTools } from './formats/responses/dropped-tools';
import { openJournal } from './journal/open-journal';
import { createChatMetrics } from './metrics';
import { connectorsOf } from './providers/connect-provider';
import { createProviders, PROVIDERS } from './providers/registry';
import { compactResponse } from './rpc/compact-response';
import { countInputTokens } from './rpc/count-input-tokens';
import { countTokens } from './rpc/count-tokens';
import { createChatCompletion } from './rpc/create-chat-completion';
import { createCompletion } from './rpc/create-completion';
import { createEmbeddings } from './rpc/create-embeddings';
import { createMessage } from './rpc/create-message';
import { createModeration } from './rpc/create-moderation';
import { createRanking } from './rpc/create-ranking';
import { createResponse } from './rpc/create-response';
import { describeKey } from './rpc/describe-key';
import { generateContent } from './rpc/generate-content';
import { getModel, listModels } from './rpc/list-models';
import { probeProvider } from './rpc/probe-provider';
import { readSettings } from './settings';

/** An account may use this part of the memory for bodies or replies while more than the last eighth is free. */
const ACCOUNT_SHARES = 16;
/**
 * CPU per second for counting prompts. Two quotas: at admission an uncounted prompt may be refused, while `count_tokens`
 * may answer with an estimate.
 */
const ADMISSION_COUNTS_MS = 250;
const FREE_COUNTS_MS = 150;
const UNREAD_BYTES = 64 * 1024 * 1024;
const DELIVERY_DRAIN_MS = 3_000;
/** For the rest of the shutdown, after the drain. */
const STOP_REST_MS = 10_000;

const memoryFor = (maxBytes: number) => memoryQuota(maxBytes, maxBytes / ACCOUNT_SHARES);

export async function startChat(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const trust = createTrust('chat', settings, log);
  const bufferQuota = new Quota({ limit: UNREAD_BYTES });
  const environmentProviders = createProviders(settings, env, bufferQuota);
  const peer = { trust, dnsServers: settings.DNS_SERVERS, zone: settings.ZONE };
  const { CatalogService } = loadService<CatalogProto>('catalog').gateway.catalog.v1;
  const catalog = createGrpcClient(CatalogService, { ...peer, addresses: settings.CATALOG_ADDR });

  const { MediaService } = loadService<MediaProto>('media').gateway.media.v1;
  const media =
    settings.MEDIA_ADDR && createGrpcClient(MediaService, { ...peer, addresses: settings.MEDIA_ADDR });
  const mediaProviders = media && new MediaProviders(media, log);

  const { StorageService } = loadService<StorageProto>('storage').gateway.storage.v1;
  const storage =
    settings.STORAGE_ADDR && settings.STORED_RESPONSES === 'on'
      ? createGrpcClient(StorageService, { ...peer, addresses: settings.STORAGE_ADDR })
      : undefined;

  const models = new CatalogWatch({ client: catalog, log, fromProto: fromProtoModel });
  const opened = await openJournal(settings.journal, log);
  const { journal } = opened;
  const waiting = new WaitingEvents();
  const cells = connectCells({ home: settings.BILLING_ADDR, others: settings.cells, peer }, (cell) => {
    const outbox = new UsageOutbox({
      delivery: cell.usageDelivery('gateway-chat', settings.kafka, log),
      log,
      waiting,
      onDelivered: (event) => journal.acknowledge(event.requestId),
    });
    const reserve = new ReserveClient({
      instances: cell.instances(),
      log,
      timeoutMs: settings.RESERVE_TIMEOUT_MS,
      onUnknownOutcome: ({ requestId = '', accountId = '', keyId = '', model = '' }, error) => {
        // The release event creates the record.
        annotateFailure(error, { model, hasHold: true });
        admission
          .releaseUnconfirmed({ requestId, accountId, keyId, model, cell: cell.name })
          .catch((err) => log.error({ err }, 'release failed'));
      },
    });
    return { ...cell, outbox, reserve };
  });
  const admission = new Admission({ cells, journal, outputs: new ExpectedOutputs() });
  const stopping = new AbortController();
  const stopHeartbeat = startHeartbeat(cells, journal.owner, log);

  const upstream = new HttpClient(refusedHosts(settings));
  const clock = new ProgressClock();
  const health = new TargetHealth(() => performance.now(), settings.CIRCUIT_OPEN_MS);
  const providers = new ProviderDirectory({
    environment: environmentProviders,
    secrets: { keys: settings.CREDENTIALS_KEY, env, directory: settings.CREDENTIALS_DIR },
    connectorOf: connectorsOf(bufferQuota),
    log,
    onCredentialChanged: (provider, credential) => health.forget(provider, credential),
  });
  const dailyCosts = new DailyCosts(Date.now);
  const costSync = new CredentialCostSync({ client: catalog, costs: dailyCosts, log });
  const providerWatch = new ProviderWatch({
    client: catalog,
    log,
    onProviders(all, secrets) {
      providers.replace(all, secrets);
      costSync.replaceProviders(all);
    },
  });
  const bodies = memoryFor(settings.BODY_MEMORY_BYTES);
  const replyMemory = memoryFor(settings.REPLY_MEMORY_BYTES);
  const abandoned = new AbandonedCalls({
    maxOfAccount: settings.MAX_ABANDONED_CALLS,
    timeoutMs: settings.ABANDONED_CALL_TIMEOUT_MS,
  });
  const metrics = createChatMetrics({
    callsInFlight: () => link.callsInFlight,
    health,
    abandoned,
    dailyCosts,
  });
  await opened.recover({
    cells,
    outbox: { add: (event) => cells.of(event.cell).outbox.add(event) },
    signal: stopping.signal,
    onTakenOver: metrics.journalTakenOver,
  });
  const quotaMetrics = createQuotaMetrics(metrics.registry, 'chat');
  quotaMetrics.track('bodies', bodies);
  quotaMetrics.track('replies', replyMemory);
  const limiter = new CredentialLimiter(() => performance.now(), dailyCosts);
  const sessions = new SessionPins(() => performance.now());
  const failover = new Failover({ health, limiter, metrics: metrics.targets });
  const providerClient = new ProviderClient({
    upstream,
    health,
    keepAliveMs: settings.KEEP_ALIVE_MS,
    timeouts: {
      connectMs: settings.UPSTREAM_CONNECT_TIMEOUT_MS,
      firstByteMs: settings.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
      idleMs: settings.UPSTREAM_IDLE_TIMEOUT_MS,
    },
  });
  const dispatcher = new Dispatcher({
    failover,
    providerClient,
    sessions,
    metrics: metrics.targets,
    keepAliveMs: settings.KEEP_ALIVE_MS,
  });
  const runner = new ChatRunner({
    dispatcher,
    abandoned,
    clock,
    metrics: metrics.targets,
    limiter,
    health,
    replyMemory,
    keepAliveMs: settings.KEEP_ALIVE_MS,
  });
  const refusals = new CellRefusals(cells, log);
  const keys = new KeyClient(cells);
  const isMediaProvider = mediaProviders?.serves ?? (() => false);
  const listed = { models, providers, isMediaProvider, admission };
  const counted = { models, admission, counting: tokenizerCpuQuota(FREE_COUNTS_MS) };
  const wholeReplies = new WholeReplyRunner({
    failover,
    providerClient,
    limiter,
    health,
    metrics: metrics.targets,
    replyMemory,
  });
  const counting = tokenizerCpuQuota(ADMISSION_COUNTS_MS);
  const responseStorage = storage && new ResponseStorageClient(storage);
  const responseOptions = { unknownFields: settings.UNKNOWN_FIELDS, canStore: storage !== undefined };
  const audioIds = new AudioIdSealer(signingSecrets(settings));
  /** @param queues responses may be made in the background */
  const createRoutes = (priced: ModelLookup, queues: boolean): LinkHandler => {
    const answering = {
      health,
      sessions,
      models: priced,
      providers,
      admission,
      runner,
      abandoned,
      counting,
      addressesOf: findAddresses,
      searchProviders: responseProviders(providers, true),
    };
    const answer = answerChat(answering);
    const responding = {
      ...answering,
      providers: responseProviders(providers, false),
      audioProviders: providers,
    };
    const compacting = {
      ...responding,
      providers: compactingProviders(responding.providers),
      audioProviders: compactingProviders(providers),
    };
    const complete = answerChat({ ...answering, providers: completionProviders(providers) });
    const answerWhole = answerWholeReply({
      health,
      models: priced,
      providers,
      admission,
      runner: wholeReplies,
      addressesOf: findAddresses,
    });
    const contents = droppingTools(
      dropContentsTools,
      generateContent({
        ...counted,
        answer,
        embed: answerWhole,
        unknownFields: settings.UNKNOWN_FIELDS,
      }),
    );
    return routeCall<'chat'>({
      chat_completions: droppingTools(
        dropChatTools,
        createChatCompletion(answer, settings.UNKNOWN_FIELDS, audioIds),
      ),
      completions: createCompletion(complete, settings.UNKNOWN_FIELDS),
      responses: droppingTools(
        dropResponsesTools,
        createResponse(
          answerResponse({
            answer: answerChat(responding),
            storage: responseStorage,
            bodies,
            metrics: metrics.responses,
          }),
          queues && responseStorage
            ? queueResponse({
                check: checkChat(responding),
                storage: responseStorage,
                requireFunds: (key) => requireFunds(cells, key),
                bodies,
                newId,
                now: Date.now,
              })
            : undefined,
          responseOptions,
        ),
      ),
      response_compaction: compactResponse(
        answerResponse({
          answer: answerChat(compacting),
          storage: responseStorage,
          bodies,
          metrics: metrics.responses,
        }),
        responseOptions,
      ),
      response_input_tokens: droppingTools(
        dropResponsesTools,
        countInputTokens({ ...counted, storage: responseStorage, bodies, options: responseOptions }),
      ),
      embeddings: createEmbeddings(answerWhole),
      moderations: createModeration(answerWhole),
      rerank: createRanking(answerWhole),
      messages: droppingTools(dropMessagesTools, createMessage(answer, settings.UNKNOWN_FIELDS)),
      count_tokens: droppingTools(dropMessagesTools, countTokens(counted)),
      generate_content: contents,
      embed_content: contents,
      count_content_tokens: contents,
      key: describeKey({ cells, admission }),
      models: withCurrentKey(keys, listModels(listed)),
      model: withCurrentKey(keys, getModel(listed)),
    });
  };
  const ownRoutes = createRoutes(models, true);
  const batchRoutes = createRoutes(discountedModels(models, settings.BATCH_DISCOUNT_PERCENT), false);
  /** The header comes from storage only: edge does not forward it. */
  const routes: LinkHandler = (context, call) =>
    (call.headers['x-gateway-batch'] ? batchRoutes : ownRoutes)(context, call);
  const refuse: LinkHandler = () => Promise.reject(quotaExhausted());
  const link = new LinkServer({
    log,
    handler: withRefusalReports(refusals, retryWithCurrentKey(keys, routes)),
    bodies: { quota: bodies, refuse: withRefusalReports(refusals, refuse) },
  });

  const { ChatService } = loadService<ChatProto>('chat').gateway.chat.v1;
  const simulated = simulatedProviders(PROVIDERS, env, settings.SIM_BASE_URL);
  const listing = listProviders({
    providers: () => providers.ids(),
    isSimulated: (id) => simulated.has(id) && providers.isOfEnvironment(id),
    health,
  });
  const grpc = await startGrpcServer({
    host: settings.BIND_HOST,
    port: settings.GRPC_PORT,
    trust,
    log,
    services: [
      {
        definition: ChatService.service,
        handlers: {
          Relay: link.relay,
          ListProviders: unary(log, listing),
          ProbeProvider: unary(log, probeProvider({ providers, models, upstream, replyMemory })),
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
      catalog: () => models.loaded && providers.loaded,
      billing: connectedOnce(() => cells.home.reserve.up),
      journal: () => journal.admits,
    },
  });

  return {
    ports: { grpc: grpc.port, admin: admin.port },
    stopTimeoutMs: settings.DRAIN_TIMEOUT_MS + STOP_REST_MS,
    async stop() {
      stopping.abort();
      const late = new Promise((resolve) => setTimeout(resolve, settings.DRAIN_TIMEOUT_MS).unref());
      await Promise.race([link.drain(), late]);
      link.close();
      await grpc.stop(1_000);
      await refusals.close();
      await Promise.all([
        ...cells.all.map(({ outbox }) => outbox.close(DELIVERY_DRAIN_MS)),
        costSync.close(),
      ]);
      await opened.close();
      stopHeartbeat();
      clock.close();
      for (const cell of cells.all) cell.reserve.close();
      models.close();
      providerWatch.close();
      await providers.close();
      upstream.close();
      await mediaProviders?.close();
      for (const { client } of cells.all) client.close();
      for (const client of [catalog, media, storage]) client?.close();
      await admin.stop();
    },
  };
}
