import { GatewayError, isRetryableTpmLimit } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { RateReport } from '@gateway/proto/generated/gateway/billing/v1/RateReport';
import type { ReserveBatch } from '@gateway/proto/generated/gateway/billing/v1/ReserveBatch';
import type { ReserveGrant__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveGrant';
import type { ReserveReplyBatch__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReplyBatch';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import {
  fromErrorDetail,
  InstancePool,
  type PeerInstances,
  PersistentStream,
  type PoolMember,
  TickBatcher,
} from '@gateway/rpc';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { SettlementRetries } from './settlement-retries';

type ReserveStream = ClientDuplexStream<ReserveBatch, ReserveReplyBatch__Output>;
type Grant = ReserveGrant__Output;

export interface ReserveClientOptions {
  readonly instances: PeerInstances<BillingServiceClient>;
  readonly log: Logger;
  readonly timeoutMs: number;
  /**
   * Called when it is unknown whether a hold was created; it must be released if it exists. `error` is the error thrown. Not called
   * for a request that was never sent, or that is free.
   */
  onUnknownOutcome(request: ReserveRequest, error: GatewayError): void;
}

type Answer =
  | { readonly grant: Grant; readonly awaitsSettlement: false }
  | { readonly grant?: undefined; readonly error: GatewayError; readonly awaitsSettlement: boolean };

interface Waiting {
  request: ReserveRequest;
  readonly timer: NodeJS.Timeout;
  channel: ReserveChannel | undefined;
  resolve(answer: Answer): void;
}

/**
 * Reserves money and rate limits at billing. Requests of one turn of the event loop share a message. When a stream is lost,
 * its pending requests are resent on another one, which is safe because billing identifies them by request id.
 */
export class ReserveClient {
  readonly #options: ReserveClientOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #channels: InstancePool<BillingServiceClient, ReserveChannel>;
  readonly #settlements = new SettlementRetries();

  constructor(options: ReserveClientOptions) {
    this.#options = options;
    const { log, instances } = options;
    this.#channels = new InstancePool({
      name: 'billing.Reserve',
      log,
      instances,
      connect: (client, onUp) =>
        new ReserveChannel(client, log, {
          onUp: () => {
            onUp();
            this.#sendUnsent();
          },
          onDown: (channel) => this.#resendFrom(channel),
          onReplies: (batch) => this.#onReplies(batch),
        }),
    });
  }

  get up(): boolean {
    return this.#channels.usableCount > 0;
  }

  /**
   * Reserves for one request id. May be called again with the same id only after a refusal.
   * @throws GatewayError the refusal, or `internal_error` when billing does not answer in time
   */
  async reserve(request: ReserveRequest): Promise<Grant> {
    return grantOf(await this.#request(request));
  }

  /**
   * Like `reserve`, but retries a refusal for up to half a second if the settlement of ended calls may make it obsolete.
   * @param signal aborted when the client has disconnected
   */
  async reserveWithSettlementRetries(request: ReserveRequest, signal: AbortSignal): Promise<Grant> {
    const first = await this.#request(request);
    // Unused tokens of a key are returned shortly after the hold has ended.
    if (first.grant || !(first.awaitsSettlement || isRetryableTpmLimit(first.error))) return grantOf(first);
    let { awaitsSettlement } = first;
    const retry = async () => {
      const next = await this.#request(request);
      if (next.grant) return next;
      // The earlier refusal is more specific than an unknown result.
      if (next.error.code === 'internal_error') return { ...first, awaitsSettlement: false };
      const settledMeanwhile = awaitsSettlement && isRetryableTpmLimit(next.error);
      awaitsSettlement = next.awaitsSettlement;
      return settledMeanwhile ? { ...next, awaitsSettlement: true } : next;
    };
    return grantOf(await this.#settlements.retry(request.keyId ?? '', first, retry, signal));
  }

  /** Sends a rate report without acknowledgment. It is lost if no billing instance is reachable; the next report replaces it. */
  report(report: RateReport): void {
    this.#channels.pick()?.report(report);
  }

  /** Also closes the clients. */
  close(): void {
    this.#channels.close();
  }

  #request(request: ReserveRequest): Promise<Answer> {
    return new Promise((resolve) => {
      const requestId = request.requestId ?? '';
      const timer = setTimeout(() => this.#giveUp(requestId), this.#options.timeoutMs);
      const waiting = { request: { ...request, isNew: true }, timer, channel: undefined, resolve };
      this.#waiting.set(requestId, waiting);
      this.#send(waiting);
    });
  }

  #send(waiting: Waiting): void {
    waiting.channel = this.#channels.pick();
    waiting.channel?.send(waiting.request);
  }

  #sendUnsent(): void {
    for (const waiting of this.#waiting.values()) if (!waiting.channel) this.#send(waiting);
  }

  #resendFrom(lost: ReserveChannel): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.channel !== lost) continue;
      waiting.channel = undefined;
      waiting.request = { ...waiting.request, isNew: false };
      this.#send(waiting);
    }
  }

  #onReplies(batch: ReserveReplyBatch__Output): void {
    for (const reply of batch.replies) {
      const waiting = this.#take(reply.requestId);
      // The call has timed out, and the hold is being released.
      if (!waiting) continue;
      clearTimeout(waiting.timer);
      const { grant, refusal, awaitsSettlement } = reply;
      if (grant) waiting.resolve({ grant, awaitsSettlement: false });
      else if (refusal) this.#refuse(waiting, fromErrorDetail(refusal), awaitsSettlement);
      else
        this.#refuse(
          waiting,
          new GatewayError('internal_error', { cause: new Error('empty reserve reply') }),
        );
    }
  }

  #take(requestId: string): Waiting | undefined {
    const waiting = this.#waiting.get(requestId);
    if (!waiting) return undefined;
    this.#waiting.delete(requestId);
    waiting.channel?.answered();
    return waiting;
  }

  #refuse({ request, resolve }: Waiting, error: GatewayError, awaitsSettlement = false): void {
    // Billing may have failed after it committed.
    if (error.code === 'internal_error' && !request.free) this.#options.onUnknownOutcome(request, error);
    resolve({ error, awaitsSettlement });
  }

  #giveUp(requestId: string): void {
    const waiting = this.#take(requestId);
    if (!waiting) return;
    const wasSent = waiting.channel !== undefined || !waiting.request.isNew;
    const cause = new Error(wasSent ? 'billing did not answer in time' : 'billing was not connected in time');
    const error = new GatewayError('internal_error', { cause });
    if (wasSent) this.#refuse(waiting, error);
    else waiting.resolve({ error, awaitsSettlement: false });
  }
}

function grantOf(answer: Answer): Grant {
  if (answer.grant) return answer.grant;
  throw answer.error;
}

interface ChannelListener {
  onUp(): void;
  onDown(channel: ReserveChannel): void;
  onReplies(batch: ReserveReplyBatch__Output): void;
}

/** The stream to one billing instance. */
class ReserveChannel implements PoolMember {
  readonly #stream: PersistentStream<ReserveReplyBatch__Output, ReserveStream>;
  #requests: TickBatcher<ReserveRequest, ReserveBatch> | undefined;
  #reports: TickBatcher<RateReport, ReserveBatch> | undefined;
  #reserve: ReserveStream | undefined;
  #onEnd: (() => void) | undefined;
  #callsWaiting = 0;

  constructor(client: BillingServiceClient, log: Logger, listener: ChannelListener) {
    this.#stream = new PersistentStream<ReserveReplyBatch__Output, ReserveStream>({
      name: 'reserve',
      log,
      open: () => client.Reserve(),
      onMessage: (batch) => listener.onReplies(batch),
      onUp: (stream) => {
        this.#reserve = stream;
        this.#requests = new TickBatcher<ReserveRequest, ReserveBatch>(stream, (requests) => ({ requests }));
        this.#reports = new TickBatcher<RateReport, ReserveBatch>(stream, (reports) => ({ reports }));
        listener.onUp();
      },
      onDown: () => {
        this.#closeBatchers();
        this.#callsWaiting = 0;
        listener.onDown(this);
        this.#onEnd?.();
      },
    });
  }

  get usable(): boolean {
    return this.#requests !== undefined && !this.#onEnd;
  }

  get callsWaiting(): number {
    return this.#callsWaiting;
  }

  send(request: ReserveRequest): void {
    this.#callsWaiting += 1;
    this.#requests?.add(request);
  }

  report(report: RateReport): void {
    this.#reports?.add(report);
  }

  /** A request has its answer, or is not waited for any more. */
  answered(): void {
    this.#callsWaiting -= 1;
    this.#endIfRetired();
  }

  /** Takes no longer than the timeout of a request. */
  retire(): Promise<void> {
    if (!this.#stream.up) {
      this.close();
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#onEnd = resolve;
      this.#stream.retire();
      this.#endIfRetired();
    });
  }

  close(): void {
    this.#stream.close();
  }

  #endIfRetired(): void {
    if (!this.#onEnd || this.#callsWaiting > 0) return;
    this.#closeBatchers();
    this.#reserve?.end();
  }

  #closeBatchers(): void {
    this.#requests?.close();
    this.#requests = undefined;
    this.#reports?.close();
    this.#reports = undefined;
    this.#reserve = undefined;
  }
}
