import { once } from 'node:events';
import type { Caller } from '@gateway/callers';
import { createLogger, parseEnv } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { ReserveReply__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { ReserveReplyBatch__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReplyBatch';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { UsageEvent } from '@gateway/proto/generated/gateway/billing/v1/UsageEvent';
import {
  callUnary,
  createGrpcClient,
  createTrust,
  loadService,
  TickBatcher,
  trustSettings,
} from '@gateway/rpc';

const OPEN_TIMEOUT_MS = 5_000;
const REPLY_TIMEOUT_MS = 10_000;
const LATE_CHECK_MS = 1_000;

/** Placeholder in the encoded request that is replaced by the id of each call. */
const PLACEHOLDER_ID = '00000000-0000-7000-8000-000000000000';

interface Waiting {
  readonly sinceMs: number;
  resolve(reply: ReserveReply__Output): void;
  reject(error: Error): void;
}

const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
const { path, requestSerialize, responseDeserialize } = BillingService.service.Reserve;

type Settings = Readonly<Record<string, string>>;

const log = createLogger('bench', 'silent');
const createClient = (address: string, caller: Caller, settings: Settings) => {
  const trust = createTrust(caller, parseEnv(trustSettings(caller), settings), log);
  return createGrpcClient(BillingService, { addresses: [address], trust });
};

/**
 * Calls billing as chat does: requests of one turn of the event loop share a message on one stream. The common part of all
 * requests is encoded once, because the time to encode a request is part of the measured latency.
 */
export class BillingCaller {
  readonly #client;
  readonly #stream;
  readonly #requests: TickBatcher<Buffer, Buffer>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #lateCheck = setInterval(() => this.#rejectLate(), LATE_CHECK_MS);

  constructor(address: string, trust: Settings) {
    this.#client = createClient(address, 'chat', trust);
    this.#stream = this.#client.makeBidiStreamRequest(path, (batch: Buffer) => batch, responseDeserialize);
    // Concatenated batches of one item are a batch of all items: protobuf encodes repeated fields that way.
    this.#requests = new TickBatcher(this.#stream, (batches) => Buffer.concat(batches));
    this.#stream.on('data', ({ replies }: ReserveReplyBatch__Output) => {
      for (const reply of replies) this.#take(reply.requestId)?.resolve(reply);
    });
    this.#stream.on('error', (error) => {
      for (const requestId of [...this.#waiting.keys()]) this.#take(requestId)?.reject(error);
    });
  }

  /** Returns the id of the key's value, which chat sends to billing with each call. */
  static async valueIdOf(address: string, trust: Settings, key: string): Promise<string> {
    const edge = createClient(address, 'edge', trust);
    try {
      const resolved = await callUnary(edge, edge.ResolveKey, { key }, { timeoutMs: REPLY_TIMEOUT_MS });
      return resolved.key?.valueId ?? '';
    } finally {
      edge.close();
    }
  }

  /** Resolves when billing has accepted the stream. */
  async open(): Promise<void> {
    await once(this.#stream, 'metadata', { signal: AbortSignal.timeout(OPEN_TIMEOUT_MS) });
  }

  /** Returns a function that reserves for calls that differ only in their request ids. */
  reserveFor(request: ReserveRequest): (requestId: string) => Promise<ReserveReply__Output> {
    const encoded = requestSerialize({ requests: [{ ...request, requestId: PLACEHOLDER_ID, isNew: true }] });
    const idAt = encoded.indexOf(PLACEHOLDER_ID);
    return (requestId) =>
      new Promise((resolve, reject) => {
        const copy = Buffer.from(encoded);
        copy.write(requestId, idAt, 'latin1');
        this.#waiting.set(requestId, { sinceMs: performance.now(), resolve, reject });
        this.#requests.add(copy);
      });
  }

  async deliver(events: UsageEvent[]): Promise<void> {
    await callUnary(this.#client, this.#client.Deliver, { events }, { timeoutMs: REPLY_TIMEOUT_MS });
  }

  async heartbeat(ownerId: string, ownerEpoch: string): Promise<void> {
    const request = { ownerId, ownerEpoch };
    await callUnary(this.#client, this.#client.Heartbeat, request, { timeoutMs: REPLY_TIMEOUT_MS });
  }

  close(): void {
    clearInterval(this.#lateCheck);
    this.#requests.close();
    this.#stream.cancel();
    this.#client.close();
  }

  #take(requestId: string): Waiting | undefined {
    const waiting = this.#waiting.get(requestId);
    this.#waiting.delete(requestId);
    return waiting;
  }

  #rejectLate(): void {
    const lateMs = performance.now() - REPLY_TIMEOUT_MS;
    for (const [requestId, { sinceMs }] of this.#waiting) {
      if (sinceMs > lateMs) break;
      this.#take(requestId)?.reject(new Error('no reply to Reserve'));
    }
  }
}
