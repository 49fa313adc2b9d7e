import { once } from 'node:events';
import { loadService } from '@gateway/proto';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { ReserveBatch } from '@gateway/proto/generated/gateway/billing/v1/ReserveBatch';
import type { ReserveReply__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { UsageEvent } from '@gateway/proto/generated/gateway/billing/v1/UsageEvent';
import { callUnary, createGrpcClient, TickBatcher } from '@gateway/runtime';

const OPEN_TIMEOUT_MS = 5_000;
const REPLY_TIMEOUT_MS = 10_000;

interface Waiting {
  readonly timer: NodeJS.Timeout;
  resolve(reply: ReserveReply__Output): void;
  reject(error: Error): void;
}

function createClient(address: string, serviceSecret: string, caller: string) {
  const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
  return createGrpcClient(BillingService, { addresses: [address], secrets: [serviceSecret], caller });
}

/** Calls billing as chat does: requests of one turn of the event loop share a message on one stream. */
export class BillingCaller {
  readonly #client;
  readonly #stream;
  readonly #requests: TickBatcher<ReserveRequest, ReserveBatch>;
  readonly #waiting = new Map<string, Waiting>();

  constructor(address: string, serviceSecret: string) {
    this.#client = createClient(address, serviceSecret, 'chat');
    this.#stream = this.#client.Reserve();
    this.#requests = new TickBatcher(this.#stream, (requests) => ({ requests }));
    this.#stream.on('data', ({ replies }) => {
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

  reserve(request: ReserveRequest & { readonly requestId: string }): Promise<ReserveReply__Output> {
    return new Promise((resolve, reject) => {
      const late = () => this.#take(request.requestId)?.reject(new Error('no answer to Reserve'));
      const timer = setTimeout(late, REPLY_TIMEOUT_MS);
      this.#waiting.set(request.requestId, { timer, resolve, reject });
      this.#requests.add(request);
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
    this.#requests.close();
    this.#stream.cancel();
    this.#client.close();
  }

  #take(requestId: string): Waiting | undefined {
    const waiting = this.#waiting.get(requestId);
    this.#waiting.delete(requestId);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}
