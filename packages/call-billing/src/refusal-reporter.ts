import { randomUUID } from 'node:crypto';
import type { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { RefusedCall } from '@gateway/proto/generated/gateway/billing/v1/RefusedCall';
import type { RefusedCount } from '@gateway/proto/generated/gateway/billing/v1/RefusedCount';
import type { ReportRefusalsRequest } from '@gateway/proto/generated/gateway/billing/v1/ReportRefusalsRequest';
import { CLIENT_DISCONNECTED, failedBy } from './call-outcome';

/** A refused call of a valid key for which no money was reserved. */
export interface Refusal {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Empty: the home cell. */
  readonly cell: string;
  /** As the client named it; empty if unknown. */
  readonly model: string;
  readonly endpoint: string;
  readonly startedAtMs: number;
  readonly error: GatewayError;
  /** The client disconnected before the call was answered: the call has no error. */
  readonly clientDisconnected?: boolean;
}

export interface RefusalReporterDeps {
  send(report: ReportRefusalsRequest): Promise<unknown>;
  readonly log: Logger;
  readonly nowMs?: () => number;
}

const FLUSH_MS = 500;
const BACKOFF_MAX_MS = 5_000;
/** Maximum records per report, and per report and account; further calls are only counted. */
const MAX_CALLS = 500;
const MAX_ACCOUNT_CALLS = 20;
/** Beyond this number of distinct counts, models are merged; beyond twice this number, calls are no longer counted. */
const MAX_COUNTS = 5_000;
const MAX_ENDPOINT = 128;
const RECORDABLE_MODEL = /^[\x21-\x7e]{1,128}$/;

interface Count extends RefusedCount {
  count: number;
}

/**
 * Reports refused calls to billing in batches. Every call is counted; under a flood only some get a record. A report is
 * retried until billing accepts it, and its number prevents duplicates. A killed process loses the refusals of the last
 * half second, but no money.
 */
export class RefusalReporter {
  readonly #deps: RefusalReporterDeps;
  readonly #nowMs: () => number;
  readonly #id = randomUUID();
  #reports = 0;
  #calls: RefusedCall[] = [];
  #callsByAccount = new Map<string, number>();
  #counts = new Map<string, Count>();
  #uncounted = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves to true when the report was accepted. */
  #sending: Promise<boolean> | undefined;
  #closed = false;
  #endPause: () => void = () => {};

  constructor(deps: RefusalReporterDeps) {
    this.#deps = deps;
    this.#nowMs = deps.nowMs ?? Date.now;
  }

  /** Calls without a valid key are not recorded. */
  add(refusal: Refusal): void {
    if (refusal.error.row.status === 401 || refusal.accountId === '') return;
    const ofAccount = this.#callsByAccount.get(refusal.accountId) ?? 0;
    if (this.#calls.length < MAX_CALLS && ofAccount < MAX_ACCOUNT_CALLS) {
      this.#callsByAccount.set(refusal.accountId, ofAccount + 1);
      this.#calls.push(this.#toCall(refusal));
    } else {
      this.#count(refusal);
    }
    if (!this.#closed) this.#timer ??= setTimeout(this.#flush, FLUSH_MS).unref();
  }

  /** Tries once more to send the report in progress and the remaining calls. Gives up if billing does not answer. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#endPause();
    const isAnswered = (await this.#sending) ?? true;
    if (isAnswered && this.#calls.length > 0) await this.#deliver(this.#take());
  }

  readonly #flush = (): void => {
    this.#sending = this.#deliver(this.#take()).finally(() => {
      this.#sending = undefined;
      this.#timer = undefined;
      if (this.#calls.length > 0 && !this.#closed) this.#timer = setTimeout(this.#flush, FLUSH_MS).unref();
    });
  };

  async #deliver(report: ReportRefusalsRequest): Promise<boolean> {
    for (let waitMs = FLUSH_MS; ; waitMs = Math.min(2 * waitMs, BACKOFF_MAX_MS)) {
      const isLast = this.#closed;
      try {
        await this.#deps.send(report);
        return true;
      } catch (error) {
        if (isLast)
          this.#deps.log.error({ err: error, calls: report.calls?.length }, 'refused calls not reported');
        else if (waitMs === FLUSH_MS) this.#deps.log.warn({ err: error }, 'refused calls not reported yet');
      }
      if (isLast) return false;
      if (!this.#closed) await this.#pause(waitMs);
    }
  }

  /** Ends early when the reporter is closed. */
  #pause(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs).unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #take(): ReportRefusalsRequest {
    if (this.#uncounted > 0) this.#deps.log.error({ calls: this.#uncounted }, 'refused calls not counted');
    const report = {
      reporterId: this.#id,
      report: String(++this.#reports),
      calls: this.#calls,
      more: [...this.#counts.values()].map(({ count, ...rest }) => ({ ...rest, calls: String(count) })),
    };
    this.#calls = [];
    this.#callsByAccount = new Map();
    this.#counts = new Map();
    this.#uncounted = 0;
    return report;
  }

  #toCall({
    error,
    clientDisconnected,
    endpoint,
    model,
    startedAtMs,
    cell: _,
    ...ids
  }: Refusal): RefusedCall {
    const { status, errorCode } = clientDisconnected ? CLIENT_DISCONNECTED : failedBy(error);
    return {
      ...ids,
      model: recordableModel(model),
      endpoint: endpoint.slice(0, MAX_ENDPOINT),
      status,
      errorCode,
      startedAtMs: String(startedAtMs),
      endedAtMs: String(this.#nowMs()),
    };
  }

  #count({ accountId, keyId, model, error }: Refusal): void {
    const day = new Date(this.#nowMs()).toISOString().slice(0, 10);
    const size = this.#counts.size;
    const named = size < MAX_COUNTS ? recordableModel(model) : '';
    const id = `${accountId} ${keyId} ${error.code} ${day} ${named}`;
    const known = this.#counts.get(id);
    if (known) known.count++;
    else if (size >= 2 * MAX_COUNTS) this.#uncounted++;
    else this.#counts.set(id, { accountId, keyId, model: named, errorCode: error.code, day, count: 1 });
  }
}

/** Returns the model name, or '' for a name that must not be stored: clients may send any text as the model. */
const recordableModel = (model: string): string => (RECORDABLE_MODEL.test(model) ? model : '');
