import { once } from 'node:events';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { ReserveReply__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { ReserveReplyBatch__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReplyBatch';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { UsageEvent } from '@gateway/proto/generated/gateway/billing/v1/UsageEvent';
import { callUnary, createGrpcClient, loadService, TickBatcher } from '@gateway/rpc';

const OPEN_TIMEOUT_MS = 5_000;
const REPLY_TIMEOUT_MS = 10_000;
const LATE_CHECK_MS = 1_000;

/** Stands in the encoded request where each call's own id is written. */
const ANY_ID = '00000000-0000-7000-8000-000000000000';

interface Waiting {
  readonly sinceMs: number;
  resolve(reply: ReserveReply__Output): void;
  reject(error: Error): void;
}

const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
const { path, requestSerialize, responseDeserialize } = BillingService.service.Reserve;

const createClient = (address: string, serviceSecret: string, caller: string) =>
  createGrpcClient(BillingService, { addresses: [address], secrets: [serviceSecret], caller });

/**
 * Calls billing as chat does: requests of one turn of the event loop share a message on one stream. What all calls have
 * in common is encoded once, since the time that it takes the caller to ask is in what it measures.
 */
export class BillingCaller {
  readonly #client;
  readonly #stream;
  readonly #requests: TickBatcher<Buffer, Buffer>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #lateCheck = setInterval(() => this.#rejectLate(), LATE_CHECK_MS);

  constructor(address: string, serviceSecret: string) {
    this.#client = createClient(address, serviceSecret, 'chat');
    this.#stream = this.#client.makeBidiStreamRequest(path, (batch: Buffer) => batch, responseDeserialize);
    // Encoded batches of one item after another are the batch of all: so protobuf has repeated fields.
    this.#requests = new TickBatcher(this.#stream, (batches) => Buffer.concat(batches));
    this.#stream.on('data', ({ replies }: ReserveReplyBatch__Output) => {
      for (const reply of replies) this.#take(reply.requestId)?.resolve(reply);
    });
    this.#stream.on('error', (error) => {
      for (const requestId of [...this.#waiting.keys()]) this.#take(requestId)?.reject(error);
    });
  }

  /** What chat tells billing of the value that a caller presented. */
  static async valueIdOf(address: string, serviceSecret: string, key: string): Promise<string> {
    const edge = createClient(address, serviceSecret, 'edge');
    try {
      const resolved = await callUnary(edge, edge.ResolveKey, { key }, { timeoutMs: REPLY_TIMEOUT_MS });
      return resolved.key?.valueId ?? '';
    } finally {
      edge.close();
    }
  }

  /** Resolves when billing has taken the stream. */
  async open(): Promise<void> {
    await once(this.#stream, 'metadata', { signal: AbortSignal.timeout(OPEN_TIMEOUT_MS) });
  }

  /** How to reserve for calls that differ in nothing but their ids. */
  reserves(request: ReserveRequest): (requestId: string) => Promise<ReserveReply__Output> {
    const encoded = requestSerialize({ requests: [{ ...request, requestId: ANY_ID, isNew: true }] });
    const idAt = encoded.indexOf(ANY_ID);
    return (requestId) =>
      new Promise((resolve, reject) => {
        const own = Buffer.from(encoded);
        own.write(requestId, idAt, 'latin1');
        this.#waiting.set(requestId, { sinceMs: performance.now(), resolve, reject });
        this.#requests.add(own);
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
      this.#take(requestId)?.reject(new Error('no answer to Reserve'));
    }
  }
}
