import type { Logger } from '@gateway/process';
import type { AccessLogEntry } from '@gateway/proto/generated/gateway/billing/v1/AccessLogEntry';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import { clientNetwork } from '@gateway/public-http';
import { callUnary } from '@gateway/rpc';
import type { UnparsableRequest } from '../http/edge-listener';
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
/** The same of an address without credentials, and of all of them: nothing else bounds how much they store. */
const MAX_OF_ADDRESS = 5;
const MAX_ANONYMOUS = 10;
const ANONYMOUS = 'anonymous';
const MAX_PATH = 200;
/** Keys in a path, and the signed part of a link to a video. */
const SECRETS = /sk-gw-[\w-]+|(?<=\/videos\/files\/)[^/]+/g;

/**
 * Reports answers to billing that no other service records, so that an operator finds every request id. Entries are dropped,
 * and counted, beyond the bounds; a killed edge loses those of its last half second.
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
    const { caller, response, isRecorded, clientAddress } = exchange;
    const status = response.headersSent ? response.statusCode : 0;
    if (status < 400 && (!caller || isRecorded)) return;
    const endedAtMs = this.#nowMs();
    this.#append(caller, clientAddress, {
      requestId: exchange.requestId,
      ...caller,
      method: exchange.request.method ?? '',
      path: exchange.path.replace(SECRETS, '…').slice(0, MAX_PATH),
      status,
      errorCode: exchange.errorCode,
      startedAtMs: String(Math.round(endedAtMs - (performance.now() - exchange.startedMs))),
      endedAtMs: String(endedAtMs),
    });
  }

  /** Takes an answer to bytes that are not a request. */
  addUnparsable({ requestId, clientAddress, error }: UnparsableRequest): void {
    const atMs = String(this.#nowMs());
    this.#append(undefined, clientAddress, {
      requestId,
      status: error.row.status,
      errorCode: error.code,
      startedAtMs: atMs,
      endedAtMs: atMs,
    });
  }

  #append(caller: Caller | undefined, clientAddress: string, entry: AccessLogEntry): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#countedSinceMs >= FLUSH_MS) {
      this.#ofCaller = new Map();
      this.#countedSinceMs = nowMs;
    }
    const isAdmitted = caller
      ? this.#waiting.length < MAX_WAITING && this.#count(nameOf(caller), MAX_OF_CALLER)
      : this.#waiting.length < MAX_WAITING / 2 && this.#countAnonymous(clientAddress);
    if (!isAdmitted) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(entry);
    this.#timer ??= setTimeout(() => void this.#flush(), FLUSH_MS).unref();
  }

  #countAnonymous(clientAddress: string): boolean {
    // Checked first, so that the map has no more addresses than that.
    if ((this.#ofCaller.get(ANONYMOUS) ?? 0) >= MAX_ANONYMOUS) return false;
    const address = `address ${clientNetwork(clientAddress)}`;
    return this.#count(address, MAX_OF_ADDRESS) && this.#count(ANONYMOUS, MAX_ANONYMOUS);
  }

  /** Returns false above the maximum of a half second. */
  #count(name: string, max: number): boolean {
    const count = (this.#ofCaller.get(name) ?? 0) + 1;
    if (count > max) return false;
    this.#ofCaller.set(name, count);
    return true;
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
