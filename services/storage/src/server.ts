import path from 'node:path';
import {
  CellRefusals,
  connectCells,
  freeRequest,
  ReserveClient,
  withRefusalReports,
} from '@gateway/call-billing';
import { GatewayError, rateHeaders } from '@gateway/errors';
import { type LinkHandler, LinkPool, LinkServer, routeCall } from '@gateway/link';
import { awaitMigrations, createPool, ping } from '@gateway/postgres';
import { connectedOnce, every, type Logger, type RunningService, startAdminServer } from '@gateway/process';
import type { ProtoGrpcType as ChatProto } from '@gateway/proto/generated/chat';
import type { ProtoGrpcType as StorageProto } from '@gateway/proto/generated/storage';
import { FairSemaphore, memoryQuota, Quota, quotaExhausted, SemaphoreExhausted } from '@gateway/quota';
import {
  createGrpcClients,
  createTrust,
  fromProtoRates,
  loadService,
  startGrpcServer,
  unary,
} from '@gateway/rpc';
import { BatchRunner } from './batches/runner/batch-runner';
import { Batches, clearEndedBatches, deleteExpiredBatches } from './batches/store/batches';
import { BillingCalls } from './calls/billing-calls';
import { CallRate } from './calls/call-rate';
import { ChatCalls } from './calls/chat-calls';
import { Files, removeExpiredFiles } from './files/store/files';
import { openObjectStore } from './files/store/open-object-store';
import { type ContentMetrics, createStorageMetrics } from './metrics';
import { BackgroundRunner } from './responses/runner/background-runner';
import { BackgroundCalls } from './responses/store/background-calls';
import { ResponseQuota } from './responses/store/response-quota';
import { deleteExpired, Responses } from './responses/store/responses';
import { cancelBatch, getBatch, listBatches } from './rpc/batches';
import { cancelResponse } from './rpc/cancel-response';
import { createBatch } from './rpc/create-batch';
import { createFile } from './rpc/create-file';
import { createMessageBatch } from './rpc/create-message-batch';
import { deleteFile } from './rpc/delete-file';
import { deleteResponse } from './rpc/delete-response';
import { findResponses } from './rpc/find-responses';
import { getFile } from './rpc/get-file';
import { getFileContent } from './rpc/get-file-content';
import { getResponse } from './rpc/get-response';
import { listFiles } from './rpc/list-files';
import { listInputItems } from './rpc/list-input-items';
import { loadResponses } from './rpc/load-responses';
import {
  cancelMessageBatch,
  deleteMessageBatch,
  getMessageBatch,
  getMessageBatchResults,
  listMessageBatches,
  type OriginOf,
} from './rpc/message-batches';
import { queueResponse, refuseQueueing } from './rpc/queue-response';
import type { FreeAdmission } from './rpc/response-call';
import { saveResponse } from './rpc/save-response';
import { readSettings } from './settings';

const MIGRATIONS = path.join(__dirname, '../migrations');
const DELETION_BATCH = 500;
/** In one run of the job, so that a backlog is spread over time: 10,000 responses and as many files. */
const MAX_DELETION_BATCHES = 20;
/** Calls that hold the content of responses in memory, up to some 30 MiB each; of one account, a quarter of them. */
const CONTENT_LIMITS = {
  concurrency: 16,
  perHolder: 4,
  maxWaiting: 512,
  maxWaitingPerHolder: 64,
  maxWaitMs: 5_000,
};
/** Uploads of files, and files being sent: each needs some hundred KiB. */
const UPLOAD_LIMITS = { ...CONTENT_LIMITS, concurrency: 32, perHolder: 8 };
/** Calls to be queued, which have a connection to the database each while they wait for the account's lock. */
const QUEUEING_LIMITS = { ...CONTENT_LIMITS, concurrency: 6, perHolder: 2, maxWaitingPerHolder: 128 };
/** Bodies of batches with their requests: some 100 MiB are needed to parse one of 32 MiB. */
const BODY_BYTES = 128 * 1024 ** 2;
const ACCOUNT_BODY_BYTES = 64 * 1024 ** 2;
const READ_LIMITS = { limit: 64, perHolder: 16 };
/** Replies to calls of batches and in the background above 1 MiB, each of which may need some 200 MiB while it is stored. */
const LARGE_REPLY_LIMITS = { concurrency: 4, perHolder: 2, maxWaiting: 1_000, maxWaitingPerHolder: 100 };
const STOP_GRACE_MS = 5_000;
/** For the rest of the shutdown, after the drain. */
const STOP_REST_MS = 10_000;

export async function startStorage(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const trust = createTrust('storage', settings, log);
  const pool = createPool({ url: settings.DATABASE_URL, log });
  await awaitMigrations({ pool, schema: 'storage', directory: MIGRATIONS, log });

  const peer = { trust, dnsServers: settings.DNS_SERVERS, zone: settings.ZONE };
  const { ChatService } = loadService<ChatProto>('chat').gateway.chat.v1;
  const chats =
    settings.CHAT_ADDR && createGrpcClients(ChatService, { ...peer, addresses: settings.CHAT_ADDR });
  const cells = connectCells({ home: settings.BILLING_ADDR, others: settings.cells, peer }, (cell) => ({
    ...cell,
    reserve: new ReserveClient({
      instances: cell.instances(),
      log,
      timeoutMs: settings.RESERVE_TIMEOUT_MS,
      // Free calls have no holds.
      onUnknownOutcome: () => {},
    }),
  }));
  const free: FreeAdmission = async (context, call, { stores: needsFunds = false } = {}) => {
    const { accountId, keyId, cell } = call.key;
    const request = { ...freeRequest(context.requestId, call), needsFunds };
    const grant = await cells.of(cell).reserve.reserve(request);
    return {
      headers: rateHeaders(fromProtoRates(grant)),
      reader: { accountId, ...(grant.ownContentOnly && { onlyKeyId: keyId }) },
    };
  };
  const metrics = createStorageMetrics();
  const responses = new Responses(pool, settings.STORAGE_KEY, settings.RESPONSE_RETENTION_DAYS);
  const quota = new ResponseQuota(pool, {
    maxBytes: settings.RESPONSE_MAX_ACCOUNT_BYTES,
    maxCount: settings.RESPONSE_MAX_ACCOUNT_COUNT,
  });
  const store = await openObjectStore(settings, metrics.objectStoreFailed);
  store.reached().catch((err) => log.error({ err }, 'the object store of files is not available'));
  const files = new Files(pool, settings.STORAGE_KEY, store, {
    retentionDays: settings.FILE_RETENTION_DAYS,
    maxAccountBytes: settings.FILE_MAX_ACCOUNT_BYTES,
    maxAccountFiles: settings.FILE_MAX_ACCOUNT_COUNT,
  });
  const batches = new Batches(pool, settings.STORAGE_KEY, {
    retentionDays: settings.FILE_RETENTION_DAYS,
    maxAccountBatches: settings.BATCH_MAX_ACCOUNT_COUNT,
    maxAccountResultBytes: settings.FILE_MAX_ACCOUNT_BYTES,
  });
  const links = chats && new LinkPool({ name: 'chat.Relay', instances: chats, log });
  const callTimeoutMs = settings.BATCH_CALL_TIMEOUT_MS;
  const largeReplies = new FairSemaphore({ ...LARGE_REPLY_LIMITS, maxWaitMs: callTimeoutMs });
  const calls = links && {
    chat: new ChatCalls(links, callTimeoutMs, largeReplies),
    billing: new BillingCalls(cells),
  };
  const runner = calls
    ? new BatchRunner({
        batches,
        files,
        calls,
        rate: new CallRate(settings.BATCH_CALLS_PER_SECOND),
        concurrency: settings.BATCH_CONCURRENCY,
        metrics: metrics.batches,
        log,
      })
    : undefined;
  const background = new BackgroundCalls(pool, settings.STORAGE_KEY, {
    retentionDays: settings.RESPONSE_RETENTION_DAYS,
    maxOpen: settings.BACKGROUND_MAX_OPEN,
    startTimeoutMs: settings.BACKGROUND_START_TIMEOUT_MS,
  });
  const backgroundRunner = calls
    ? new BackgroundRunner({
        background,
        calls,
        concurrency: settings.BACKGROUND_CONCURRENCY,
        metrics: metrics.background,
        log,
      })
    : undefined;
  metrics.background.track(() => backgroundRunner?.running ?? 0);
  const abort = (responseId: string) => backgroundRunner?.abort(responseId);
  const deletions = [
    every(settings.DELETION_INTERVAL_MS, 'expired responses', log, () =>
      deleteAllExpired((max) => deleteExpired(pool, max), metrics.responses),
    ),
    every(settings.DELETION_INTERVAL_MS, 'expired files', log, () =>
      deleteAllExpired((max) => removeExpiredFiles(pool, store, max), metrics.files),
    ),
    every(settings.DELETION_INTERVAL_MS, 'calls of ended batches', log, async () => {
      await clearEndedBatches(pool, DELETION_BATCH);
    }),
    every(settings.DELETION_INTERVAL_MS, 'expired batches', log, () =>
      deleteAllExpired((max) => deleteExpiredBatches(pool, max), metrics.batches),
    ),
  ];
  const uploads = new FairSemaphore(UPLOAD_LIMITS);
  const contents = new FairSemaphore(CONTENT_LIMITS);
  const reads = { files, quota: new Quota(READ_LIMITS) };
  const originOf: OriginOf = ({ headers }) => settings.PUBLIC_API_URL ?? headers['x-edge-origin'] ?? '';
  const canRun = runner && settings.STORED_RESPONSES === 'on';
  const refusals = new CellRefusals(cells, log);
  const routes = routeCall<'storage'>({
    response: limitedByAccount(contents, getResponse(responses, free)),
    response_input_items: limitedByAccount(contents, listInputItems(responses, free)),
    response_cancel: limitedByAccount(
      contents,
      cancelResponse({
        responses,
        background,
        admitFree: free,
        metrics: metrics.background,
        onCancelled: abort,
      }),
    ),
    response_delete: deleteResponse(responses, free, metrics.responses, (id, accountId) => {
      quota.forget(accountId);
      abort(id);
    }),
    file_create: limitedByAccount(
      uploads,
      createFile({
        files: settings.STORED_RESPONSES === 'on' ? files : undefined,
        maxFileBytes: settings.FILE_MAX_BYTES,
        admitFree: free,
        metrics: metrics.files,
      }),
    ),
    files: listFiles(files, free),
    file: getFile(files, free),
    file_content: getFileContent(reads, free),
    file_delete: deleteFile(files, free, metrics.files),
    batch_create: canRun ? createBatch(batches, files, free, metrics.batches) : refuseBatch,
    batches: listBatches(batches, free),
    batch: getBatch(batches, free),
    batch_cancel: cancelBatch(batches, free),
    message_batch_create: canRun
      ? limitedByAccount(contents, createMessageBatch(batches, files, free, originOf, metrics.batches))
      : refuseBatch,
    message_batches: listMessageBatches(batches, free, originOf),
    message_batch: getMessageBatch(batches, free, originOf),
    message_batch_cancel: cancelMessageBatch(batches, free, originOf),
    message_batch_results: getMessageBatchResults(batches, reads, free),
    message_batch_delete: deleteMessageBatch(batches, files, free, metrics.batches),
  });
  const refuse: LinkHandler = () => Promise.reject(quotaExhausted());
  const link = new LinkServer({
    log,
    handler: withRefusalReports(refusals, routes),
    bodies: {
      quota: memoryQuota(BODY_BYTES, ACCOUNT_BODY_BYTES),
      refuse: withRefusalReports(refusals, refuse),
    },
  });

  const { service } = loadService<StorageProto>('storage').gateway.storage.v1.StorageService;
  const load = loadResponses(responses);
  const queueing = new FairSemaphore(QUEUEING_LIMITS);
  const queue =
    backgroundRunner && settings.STORED_RESPONSES === 'on'
      ? queueResponse(background, quota, metrics.background, () => backgroundRunner.wake())
      : refuseQueueing;
  const grpc = await startGrpcServer({
    host: settings.BIND_HOST,
    port: settings.GRPC_PORT,
    trust,
    log,
    services: [
      {
        definition: service,
        handlers: {
          Relay: link.relay,
          SaveResponse: unary(log, saveResponse(responses, quota, metrics.responses)),
          QueueResponse: unary(log, (context, request: Parameters<typeof queue>[1]) =>
            runLimited(queueing, request.accountId, () => queue(context, request)),
          ),
          FindResponses: unary(log, findResponses(responses, quota)),
          LoadResponses: unary(log, (context, request: Parameters<typeof load>[1]) =>
            runLimited(contents, request.accountId, () => load(context, request)),
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
      billing: connectedOnce(() => cells.home.reserve.up),
      files: () => store.reached(),
    },
  });
  return {
    ports: { grpc: grpc.port, admin: admin.port },
    stopTimeoutMs: settings.DRAIN_TIMEOUT_MS + STOP_REST_MS,
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, settings.DRAIN_TIMEOUT_MS).unref());
      await Promise.all([
        Promise.race([link.drain(), late]),
        runner?.stop(late),
        backgroundRunner?.stop(late),
      ]);
      link.close();
      links?.close();
      await grpc.stop(STOP_GRACE_MS);
      await Promise.all(deletions.map((deletion) => deletion.stop()));
      await refusals.close();
      for (const { reserve, client } of cells.all) {
        reserve.close();
        client.close();
      }
      store.close();
      await pool.end();
      await admin.stop();
    },
  };
}

const refuseBatch: LinkHandler = () =>
  Promise.reject(new GatewayError('invalid_request', { detail: 'batches are not run here' }));

async function deleteAllExpired(
  deleteBatch: (max: number) => Promise<number>,
  metrics: Pick<ContentMetrics, 'deleted'>,
): Promise<void> {
  for (let batch = 0; batch < MAX_DELETION_BATCHES; batch++) {
    const deleted = await deleteBatch(DELETION_BATCH);
    metrics.deleted('expired', deleted);
    if (deleted < DELETION_BATCH) return;
  }
}

/** @throws GatewayError `rate_limited` if too many calls of the account, or of all, are waiting */
async function runLimited<T>(limit: FairSemaphore, accountId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await limit.run(accountId, work);
  } catch (error) {
    throw error instanceof SemaphoreExhausted ? quotaExhausted() : error;
  }
}

const limitedByAccount =
  (limit: FairSemaphore, handler: LinkHandler): LinkHandler =>
  (context, call) =>
    runLimited(limit, call.key.accountId, () => handler(context, call));
