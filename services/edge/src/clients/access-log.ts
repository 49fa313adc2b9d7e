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
/** Maximum entries per minute of an address without credentials, and of all of them: nothing else bounds how much they store. */
const MAX_OF_ADDRESS = 600;
const MAX_ANONYMOUS = 1_200;
const ANONYMOUS_WINDOW_MS = 60_000;
const ANONYMOUS = 'anonymous';
/** Other paths are the files of the web UI. */
const API_PATH = /^\/(?:v1|v1beta|api)\//;
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
  readonly #callers = new EntryCounts(FLUSH_MS);
  readonly #anonymous = new EntryCounts(ANONYMOUS_WINDOW_MS);
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
    const isLogged = caller ? !isRecorded : status > 0 && API_PATH.test(exchange.path);
    if (status < 400 && !isLogged) return;
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
    const isAdmitted = caller
      ? this.#waiting.length < MAX_WAITING && this.#callers.add(nameOf(caller), MAX_OF_CALLER, nowMs)
      : this.#waiting.length < MAX_WAITING / 2 && this.#addAnonymous(clientAddress, nowMs);
    if (!isAdmitted) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(entry);
    this.#timer ??= setTimeout(() => void this.#flush(), FLUSH_MS).unref();
  }

  #addAnonymous(clientAddress: string, nowMs: number): boolean {
    // Checked first, so that no more addresses are counted than that.
    if (this.#anonymous.of(ANONYMOUS, nowMs) >= MAX_ANONYMOUS) return false;
    return (
      this.#anonymous.add(`address ${clientNetwork(clientAddress)}`, MAX_OF_ADDRESS, nowMs) &&
      this.#anonymous.add(ANONYMOUS, MAX_ANONYMOUS, nowMs)
    );
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

/** Counts entries by name, in windows of equal length. */
class EntryCounts {
  readonly #windowMs: number;
  #counts = new Map<string, number>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  of(name: string, nowMs: number): number {
    if (nowMs - this.#sinceMs >= this.#windowMs) {
      this.#counts = new Map();
      this.#sinceMs = nowMs;
    }
    return this.#counts.get(name) ?? 0;
  }

  /** Returns false above the maximum of a window. */
  add(name: string, max: number, nowMs: number): boolean {
    const count = this.of(name, nowMs) + 1;
    if (count > max) return false;
    this.#counts.set(name, count);
    return true;
  }
}
