import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { tmpdir } from 'node:os';
import { type BilledCall, Cells, type UsageEvent } from '@gateway/call-billing';
import type { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import { routeCall } from '@gateway/link';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import { Quota } from '@gateway/quota';
import { createServiceDatabase, createTestDatabase } from '@gateway/testing';
import {
  type Account,
  CredentialLimiter,
  environmentAccount,
  Failover,
  TargetHealth,
} from '@gateway/upstream';
import { targetOf } from '../../../../packages/upstream/src/route.fixture';
import { Admission } from '../billing/admission';
import type { MediaBilling } from '../billing/create-billing';
import { abandonedEvent, type BillState } from '../billing/rules/bill-event';
import type { Model } from '../domain/model';
import { IdempotentCalls } from '../idempotency/idempotent-calls';
import { readSettings } from '../settings';
import { Bills } from '../store/bills';
import { Idempotency } from '../store/idempotency';
import { beat, forgetInstances } from '../store/instances';
import { FORM_LIMITS } from '../upload/form';
import { FormReader } from '../upload/form-reader';
import { UploadQuota } from '../upload/upload-quota';
import { newTaskId } from '../videos/new-task-id';
import { openVideos, type Videos } from '../videos/open-videos';
import type { VideoProvider } from '../videos/rules/video-provider';
import { FakeVideoProvider } from './fake-video-provider';

const log = createLogger('test', 'silent');
const NOT_USED = (): never => {
  throw new Error('no such route here');
};

const PROVIDERS = ['first', 'second'];

export const ACCOUNT = 'acct_1';
export const MODEL: Model = {
  slug: 'sim/video',
  active: true,
  preview: false,
  outputModalities: ['video'],
  workflow: ['create', 'status', 'result'],
  targets: [targetOf('first', { upstreamModel: 'v-1' })],
  strategy: 'weighted',
  priceVersion: 3n,
  video: {
    features: {
      durations: [5, 10],
      minDuration: 0,
      maxDuration: 0,
      defaultDuration: 5,
      aspectRatios: ['16:9'],
      defaultAspectRatio: '',
      maxReferenceImages: 2,
      maxPromptChars: 0,
      tiers: new Map([['std', { resolution: '720p', durations: [] }]]),
    },
    pricing: { tiers: ['std'], default_tier: 'std', per_second: { std: 50_000_000n } },
  },
};

interface Answered {
  readonly requestId: string;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the test knows what it asked for.
  readonly json: any;
  readonly headers: Readonly<Record<string, string>>;
}

/** The service's videos on a real database, with fake providers and a fake billing that a test controls. */
export class VideoWorld {
  readonly providers = new Map(PROVIDERS.map((id) => [id, new FakeVideoProvider(id)]));
  /** Accounts at providers of the catalog; other providers have one account, `providers`. */
  readonly accounts = new Map<string, readonly Account<VideoProvider>[]>();
  readonly models = new Map<string, Model>([[MODEL.slug, MODEL]]);
  readonly reserved: ReserveRequest[] = [];
  readonly ends: UsageEvent[] = [];
  requestCostLimitNano: string | undefined;
  hasCatalog = true;
  refusal: GatewayError | undefined;
  /** Models that the current key may call according to billing; by default those of the call. */
  currentlyAllowed: string[] | undefined;

  static async start(): Promise<VideoWorld> {
    const database = await createTestDatabase();
    const pool = createPool({ url: await createServiceDatabase('media', database.url), log });
    return new VideoWorld(pool, async () => {
      await pool.end();
      await database.drop();
    });
  }

  private constructor(
    readonly pool: Pool,
    readonly stop: () => Promise<void>,
  ) {}

  get first(): FakeVideoProvider {
    return this.providers.get('first')!;
  }

  /** Starts an instance of the service. */
  async instance(): Promise<VideoInstance> {
    const instanceId = randomUUID();
    await beat(this.pool, instanceId);
    const bills = new Bills(this.pool, instanceId);
    const deliver = (event: UsageEvent) => void this.ends.push(event);
    const billOutbox = {
      deliver,
      dropLater: (requestId: string) => void bills.drop(requestId),
      end: async (event: UsageEvent) => {
        const isFirst = await bills.end(event);
        if (isFirst) deliver(event);
        return isFirst;
      },
    };
    const reserve = async (request: ReserveRequest) => this.#reserve(request);
    const admission = new Admission({
      bills,
      billOutbox,
      cells: new Cells({
        outbox: { admits: () => true },
        reserve: { reserve, reserveWithSettlementRetries: reserve } as never,
      }),
    });
    const health = new TargetHealth(() => performance.now(), 10_000);
    const videos = openVideos({
      settings: readSettings({
        SERVICE_SECRET: 'a secret for tests only',
        CATALOG_ADDR: 'catalog:7101',
        BILLING_ADDR: 'billing:7102',
        DATABASE_URL: 'none',
        PUBLIC_API_URL: 'connection',
        VIDEO_MAX_BYTES: '4000000',
      }),
      log,
      pool: this.pool,
      mediaBilling: { admission, bills, billOutbox } as unknown as MediaBilling,
      models: { get: (slug) => this.models.get(slug), loaded: this.hasCatalog },
      keys: {
        current: async (key) => ({ ...key, allowedModels: this.currentlyAllowed ?? key.allowedModels }),
      },
      providers: {
        ids: () => new Set([...this.providers.keys(), ...this.accounts.keys()]),
        accountsOf: (id) => this.#accountsOf(id),
      },
      failover: new Failover({
        health,
        limiter: new CredentialLimiter(() => performance.now()),
        metrics: { answered: () => {}, failed: () => {} },
      }),
      idempotent: new IdempotentCalls({
        store: new Idempotency(this.pool, {
          instanceId,
          maxReplyBytes: 1_000_000,
          maxAccountBytes: 1_000_000,
        }),
        waitMs: 5_000,
        replays: new Quota({ limit: 1024 ** 2 }),
        waiters: new Quota({ limit: 256, perHolder: 4 }),
      }),
      forms: new FormReader({
        directory: tmpdir(),
        space: new UploadQuota({
          maxBytes: 1024 ** 3,
          maxFormBytes: FORM_LIMITS.maxFilesBytes,
          hasFunds: async () => true,
        }),
        limits: FORM_LIMITS,
      }),
      health,
      taskMetrics: { polled: () => {}, ended: () => {} },
      quotas: { track: (_name, quota) => quota },
    });
    return new VideoInstance(instanceId, videos, bills);
  }

  /** Lets one instance take over the bills of another, as after an expired lease. */
  async adopt(one: VideoInstance, other: VideoInstance): Promise<void> {
    const gone = [{ id: one.id, beats: 0n }];
    const eventOf = (call: BilledCall, state: BillState) => abandonedEvent(call, state, Date.now());
    await other.bills.adopt(gone, { eventOf, newTaskId });
    this.ends.push(...(await other.bills.undelivered([])));
    await forgetInstances(this.pool, gone);
  }

  /** Moves every task back in time, as if that much time had passed. */
  async pass(ms: number): Promise<void> {
    await this.pool.query(
      `UPDATE media.tasks SET created_at = created_at - $1 * interval '1 millisecond',
         next_look_at = next_look_at - $1 * interval '1 millisecond'`,
      [ms],
    );
  }

  async clear(): Promise<void> {
    // Cheaper than TRUNCATE, which creates new files.
    for (const table of ['tasks', 'bills', 'instances', 'idempotency']) {
      await this.pool.query(`DELETE FROM media.${table}`);
    }
    this.ends.length = 0;
    this.reserved.length = 0;
    this.requestCostLimitNano = undefined;
    this.hasCatalog = true;
    this.refusal = undefined;
    this.currentlyAllowed = undefined;
    this.models.set(MODEL.slug, MODEL);
    this.accounts.clear();
    for (const id of PROVIDERS) this.providers.set(id, new FakeVideoProvider(id));
  }

  async bills(): Promise<string[]> {
    const { rows } = await this.pool.query('SELECT state FROM media.bills ORDER BY state');
    return rows.map(({ state }) => state);
  }

  #accountsOf(id: string): readonly Account<VideoProvider>[] {
    const provider = this.providers.get(id);
    return this.accounts.get(id) ?? (provider ? [environmentAccount(provider)] : []);
  }

  #reserve(request: ReserveRequest) {
    this.reserved.push(request);
    if (this.refusal) throw this.refusal;
    const { requestCostLimitNano } = this;
    return {
      holdNano: request.boundNano ?? '0',
      grantedTokens: '0',
      ...(requestCostLimitNano !== undefined && { requestCostLimitNano }),
    };
  }
}

export class VideoInstance {
  readonly #routes: LinkHandler;
  /** Aborts the calls of this instance, as a client disconnect does. */
  readonly leave = new AbortController();

  constructor(
    readonly id: string,
    readonly videos: Videos,
    readonly bills: Bills,
  ) {
    this.#routes = routeCall<'media'>({
      images: NOT_USED,
      images_generations: NOT_USED,
      images_edits: NOT_USED,
      speech: NOT_USED,
      transcriptions: NOT_USED,
      translations: NOT_USED,
      ...videos.routes,
    });
  }

  /** @throws GatewayError */
  async post(
    action: string,
    body: object | Buffer,
    accountId = ACCOUNT,
    provider = 'sim',
    keyId = 'key_1',
  ): Promise<Answered> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    return this.call('POST', `/v1/videos/${provider}/${action}`, bytes, accountId, undefined, keyId);
  }

  /** @param allowedModels of the key; all models if empty */
  list(query = '', accountId = ACCOUNT, allowedModels: string[] = []): Promise<Answered> {
    const path = `/v1/videos${query && `?${query}`}`;
    return this.call('GET', path, Buffer.alloc(0), accountId, undefined, 'key_1', allowedModels);
  }

  /** @param idempotencyKey with which the call can be repeated */
  create(fields: object = {}, idempotencyKey?: string): Promise<Answered> {
    const body = Buffer.from(JSON.stringify({ model: 'sim/video', prompt: 'a cat', ...fields }));
    return this.call('POST', '/v1/videos/sim/create', body, ACCOUNT, idempotencyKey);
  }

  async call(
    method: string,
    callPath: string,
    body: Buffer,
    accountId: string,
    idempotencyKey?: string,
    keyId = 'key_1',
    allowedModels: string[] = [],
  ): Promise<Answered> {
    const requestId = randomUUIDv7();
    const context = { requestId, signal: this.leave.signal, log };
    const key = {
      keyId,
      accountId,
      allowedModels,
      previewModels: [],
      valueId: 'v',
      bareModelNames: false,
      hasTpmLimit: false,
      scopes: [],
      allowedIps: [],
      clientAddress: '',
      noFallbackModels: false,
      dropUnsupportedTools: false,
      detailedMessages: false,
      cell: '',
    };
    const headers = {
      'x-edge-origin': 'http://api.test:8080',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    const [path = '', query] = callPath.split('?');
    const asked = { method, path, key, headers, body, ...(query !== undefined && { query }) };
    const reply = await this.#routes(context, asked);
    const pieces: Buffer[] = Buffer.isBuffer(reply.body) ? [reply.body] : [];
    if (!Buffer.isBuffer(reply.body)) for await (const piece of reply.body) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const isJson = reply.headers['content-type'] === 'application/json';
    return {
      requestId,
      status: reply.status,
      headers: reply.headers,
      json: isJson ? JSON.parse(text) : text,
    };
  }
}
