import type { Logger } from '@gateway/process';
import type { AccessLogEntry } from '@gateway/proto/generated/gateway/billing/v1/AccessLogEntry';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import { callUnary } from '@gateway/rpc';
import type { Caller, Exchange } from '../http/exchange';

export interface AccessLogOptions {
  /** Resolves when the entries are stored; entries that are sent again are not stored twice. */
  readonly send: (entries: readonly AccessLogEntry[]) => Promise<unknown>;
  readonly log: Logger;
  readonly nowMs?: () => number;
}

const FLUSH_MS = 500;
const MAX_BATCH = 1_000;
/** Maximum entries that wait while billing does not answer. */
const MAX_WAITING = 20_000;
/** Maximum entries of one caller per half second: a flood does not get a row for each call. */
const MAX_OF_CALLER = 100;
const MAX_PATH = 200;

/**
 * Reports authenticated calls to billing that no other service records, so that an operator finds every request id. Entries
 * are dropped, and counted, beyond the bounds; a killed edge loses those of its last half second.
 */
export class AccessLog {
  readonly #options: AccessLogOptions;
  readonly #nowMs: () => number;
  #waiting: AccessLogEntry[] = [];
  #ofCaller = new Map<string, number>();
  #countedSinceMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #dropped = 0;

  constructor(options: AccessLogOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  /** Entries that were dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes an exchange whose response is closed; ignores those that need no entry. */
  add(exchange: Exchange): void {
    const { caller, response, isRecorded } = exchange;
    const status = response.headersSent ? response.statusCode : 0;
    if (!caller || (isRecorded && status < 400)) return;
    const endedAtMs = this.#nowMs();
    if (endedAtMs - this.#countedSinceMs >= FLUSH_MS) {
      this.#ofCaller = new Map();
      this.#countedSinceMs = endedAtMs;
    }
    const name = nameOf(caller);
    const ofCaller = (this.#ofCaller.get(name) ?? 0) + 1;
    if (ofCaller > MAX_OF_CALLER || this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#ofCaller.set(name, ofCaller);
    this.#waiting.push({
      requestId: exchange.requestId,
      ...caller,
      method: exchange.request.method ?? '',
      path: exchange.path.slice(0, MAX_PATH),
      status,
      errorCode: exchange.errorCode,
      startedAtMs: String(Math.round(endedAtMs - (performance.now() - exchange.startedMs))),
      endedAtMs: String(endedAtMs),
    });
    this.#timer ??= setTimeout(() => void this.#flush(), FLUSH_MS).unref();
  }

  /** Sends what is left, once. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      try {
        await this.#options.send(batch);
      } catch (error) {
        this.#options.log.warn({ err: error, entries: batch.length }, 'access log entries lost');
        return;
      }
    }
  }

  #flush(): Promise<void> {
    this.#sending = this.#sendOne().finally(() => {
      this.#sending = undefined;
      this.#timer =
        this.#waiting.length > 0 ? setTimeout(() => void this.#flush(), FLUSH_MS).unref() : undefined;
    });
    return this.#sending;
  }

  async #sendOne(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_BATCH);
      try {
        await this.#options.send(batch);
      } catch (error) {
        this.#options.log.debug({ err: error }, 'access log not sent; retrying');
        return;
      }
      this.#waiting.splice(0, batch.length);
    }
  }
}

const TIMEOUT_MS = 5_000;

export const appendAccessLog =
  (client: BillingServiceClient) =>
  (entries: readonly AccessLogEntry[]): Promise<unknown> =>
    callUnary(client, client.AppendAccessLog, { entries: [...entries] }, { timeoutMs: TIMEOUT_MS });

const nameOf = (caller: Caller): string =>
  'userId' in caller ? `user ${caller.userId}` : `account ${caller.accountId}`;
