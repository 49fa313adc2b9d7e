import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import { v7 as newRequestId } from 'uuid';
import type { BillingCalls } from './billing-calls';
import { AnswerLost, CallNotSent, type ChatCall, type ChatCalls } from './chat-calls';
import type { CallEnd } from './rules/call-end';

/** The part of a call that its attempts have in common. */
export type CallToRun = Omit<ChatCall, 'requestId' | 'key'> & {
  readonly accountId: string;
  readonly keyId: string;
};

export interface RunOptions {
  /** Request id of an attempt whose answer is lost, because the process that sent it has stopped. */
  readonly lostRequestId?: string | undefined;
  /** Request id of the first attempt of all; absent: a new one, as of every other attempt. */
  readonly firstRequestId?: string | undefined;
  /**
   * Commits the request id of an attempt that is about to be sent, so that it is known after this process was killed. Returns false
   * if the call is another process's now.
   */
  begin(requestId: string): Promise<boolean>;
  /** Waits until an attempt may be sent. Returns false if none may be sent any more. */
  ready(): Promise<boolean>;
  /** The key's rate limits refuse calls for this time. */
  onRateLimited(waitMs: number, refusal: GatewayError): void;
  /** Stops the attempt, whose answer is lost then. */
  readonly signal: AbortSignal;
}

interface Deps {
  readonly chat: Pick<ChatCalls, 'send'>;
  readonly billing: Pick<BillingCalls, 'key' | 'charge'>;
}

/** Attempts that failed without a charge, and attempts whose answer was lost without one. */
const MAX_FAILURES = 5;
const MAX_LOSSES = 10;
const RETRY_MS = 1_000;
const MAX_RATE_WAIT_MS = 60_000;
/** Longer than a reservation takes: one that is not known by then was not made. */
const RESERVED_WITHIN_MS = 10_000;
const MAX_POLL_MS = 2_000;

/**
 * Runs one call until it has an answer or an error that is final. It is sent again only when nothing was charged for the attempts
 * before, so that it is charged once at most; a call that was charged, but whose answer is lost, ends with `internal_error`.
 * @returns undefined if it has not ended: it may not be sent now, or is another process's
 */
export async function runCall(
  deps: Deps,
  call: CallToRun,
  options: RunOptions,
): Promise<CallEnd | undefined> {
  const { signal } = options;
  let lost = options.lostRequestId === undefined ? undefined : { id: options.lostRequestId, losses: 1 };
  let firstId = lost ? undefined : options.firstRequestId;
  let failures = 0;
  let losses = 0;
  let refusal: GatewayError | undefined;
  for (;;) {
    if (lost) {
      const { id } = lost;
      const charge = await awaitCharge(deps, call.accountId, id, lost.losses > 0, signal);
      if (charge === undefined) return undefined;
      losses += lost.losses;
      if (charge > 0n) return { requestId: id, error: refusal ?? answerLost() };
      if (losses > MAX_LOSSES || failures >= MAX_FAILURES)
        return { requestId: id, error: refusal ?? answerLost() };
      lost = undefined;
    }
    if (!(await options.ready())) return undefined;
    const requestId = firstId ?? newRequestId();
    firstId = undefined;
    try {
      const key = await deps.billing.key(call.accountId, call.keyId);
      if (!(await options.begin(requestId))) return undefined;
      return { requestId, reply: await deps.chat.send({ ...call, requestId, key }, signal) };
    } catch (thrown) {
      if (thrown instanceof AnswerLost) {
        lost = { id: requestId, losses: 1 };
        refusal = undefined;
      } else if (!(thrown instanceof GatewayError) || thrown instanceof CallNotSent) {
        await pause(RETRY_MS, signal);
      } else if (isRateLimit(thrown)) {
        options.onRateLimited(Math.min((thrown.retryAfterSeconds ?? 1) * 1_000, MAX_RATE_WAIT_MS), thrown);
      } else if (thrown.row.status >= 500 && thrown.shouldRetry !== false) {
        failures += 1;
        lost = { id: requestId, losses: 0 };
        refusal = thrown;
        if (failures < MAX_FAILURES) await pause(RETRY_MS * 2 ** failures, signal);
      } else {
        return { requestId, error: thrown };
      }
    }
    if (signal.aborted) return undefined;
  }
}

const answerLost = () =>
  new GatewayError('internal_error', { detail: 'the answer was lost after the call had been sent' });

/** Spending caps have the same status, and no retry helps. */
const isRateLimit = ({ row, shouldRetry }: GatewayError): boolean =>
  row.type === 'rate_limit_error' && shouldRetry !== false;

/**
 * Waits until the call has ended. Returns what it was charged; undefined if the signal was aborted.
 * @param mayBeReserved a reservation for it may still arrive at billing
 */
async function awaitCharge(
  { billing }: Deps,
  accountId: string,
  requestId: string,
  mayBeReserved: boolean,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const since = performance.now();
  for (let waitMs = 50; !signal.aborted; waitMs = Math.min(waitMs * 2, MAX_POLL_MS)) {
    const charge = await billing.charge(accountId, requestId).catch(() => undefined);
    if (charge?.state === 'ended') return charge.nano;
    const isTooLate = !mayBeReserved || performance.now() - since > RESERVED_WITHIN_MS;
    if (charge?.state === 'none' && isTooLate) return 0n;
    await pause(waitMs, signal);
  }
  return undefined;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
