import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { v7 as newRequestId } from 'uuid';
import type { BillingCalls } from './billing-calls';
import { AnswerLost, CallNotSent, type ChatCall, type ChatCalls } from './chat-calls';
import type { CallEnd, ChatReply } from './rules/call-end';

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
   * Commits the request id of an attempt that is about to be sent, so that it is known after this process was killed. Throws if the
   * call is another process's now.
   */
  begin(requestId: string): Promise<void>;
  /** Waits until an attempt may be sent. Returns false if none may be sent any more. */
  ready(): Promise<boolean>;
  /** The key's rate limits refuse calls for this time. */
  onRateLimited(waitMs: number, refusal: GatewayError): void;
  /** Stops the attempt, whose answer is lost then. */
  readonly signal: AbortSignal;
}

interface Deps {
  readonly chat: Pick<ChatCalls, 'send'>;
  readonly billing: Pick<BillingCalls, 'key' | 'close'>;
}

/** Attempts that failed without a charge, and attempts whose answer was lost without one. */
const MAX_FAILURES = 5;
const MAX_LOSSES = 3;
const RETRY_MS = 1_000;
const MAX_RATE_WAIT_MS = 60_000;
const MAX_POLL_MS = 2_000;

/**
 * Runs one call until it has an answer or an error that is final. It is sent again only when nothing was charged for the attempts
 * before and nothing can be, so that it is charged once at most; a call that was charged, but whose answer is lost, ends with
 * `internal_error`.
 * @returns undefined if it has not ended, because it may not be sent now
 * @throws what `begin` throws
 */
export async function runCall(
  deps: Deps,
  call: CallToRun,
  options: RunOptions,
): Promise<CallEnd | undefined> {
  const { signal } = options;
  let firstId = options.lostRequestId === undefined ? options.firstRequestId : undefined;
  let failures = 0;
  let losses = 0;
  /** Of the last attempt, which may have been charged. */
  let unsettled: { readonly requestId: string; readonly error: GatewayError } | undefined;
  if (options.lostRequestId !== undefined) {
    losses += 1;
    unsettled = { requestId: options.lostRequestId, error: answerLost() };
  }
  for (;;) {
    if (unsettled) {
      const chargedNano = await awaitCharge(deps, call, unsettled.requestId, signal);
      if (chargedNano === undefined) return undefined;
      const isFinal = chargedNano === 'unknown' || chargedNano > 0n;
      if (isFinal || losses > MAX_LOSSES || failures >= MAX_FAILURES)
        return { ...unsettled, chargedNano: chargedNano === 'unknown' ? 0n : chargedNano };
      unsettled = undefined;
    }
    if (!(await options.ready())) return undefined;
    const requestId = firstId ?? newRequestId();
    firstId = undefined;
    const attempt = await trySend(deps, call, requestId, options);
    if ('reply' in attempt) return { requestId, reply: attempt.reply };
    const { failure } = attempt;
    if (failure instanceof AnswerLost) {
      losses += 1;
      unsettled = { requestId, error: answerLost() };
    } else if (failure instanceof CallNotSent) {
      await pause(RETRY_MS, signal);
    } else if (isRateLimit(failure)) {
      options.onRateLimited(Math.min((failure.retryAfterSeconds ?? 1) * 1_000, MAX_RATE_WAIT_MS), failure);
    } else if (failure.row.status >= 500 && failure.shouldRetry !== false) {
      failures += 1;
      unsettled = { requestId, error: failure };
      if (failures < MAX_FAILURES) await pause(RETRY_MS * 2 ** failures, signal);
    } else {
      return { requestId, error: failure, chargedNano: 0n };
    }
    if (signal.aborted) return undefined;
  }
}

async function trySend(
  { billing, chat }: Deps,
  call: CallToRun,
  requestId: string,
  { begin, signal }: RunOptions,
): Promise<{ readonly reply: ChatReply } | { readonly failure: GatewayError | AnswerLost | CallNotSent }> {
  let key: KeyContext__Output | undefined;
  try {
    key = await billing.key(call.accountId, call.keyId);
    await begin(requestId);
    return { reply: await chat.send({ ...call, requestId, key }, signal) };
  } catch (failure) {
    if (failure instanceof AnswerLost || failure instanceof CallNotSent) return { failure };
    if (failure instanceof GatewayError)
      return { failure: failure.withDetailedMessage(key?.detailedMessages) };
    throw failure;
  }
}

const answerLost = () =>
  new GatewayError('internal_error', { detail: 'the answer was lost after the call had been sent' });

/** Spending caps have the same status, and no retry helps. */
const isRateLimit = ({ row, shouldRetry }: GatewayError): boolean =>
  row.type === 'rate_limit_error' && shouldRetry !== false;

/**
 * Waits until the call has ended. Returns what it was charged; `unknown` if it may still be charged later; undefined if the signal was
 * aborted.
 */
async function awaitCharge(
  { billing }: Deps,
  { accountId, keyId }: CallToRun,
  requestId: string,
  signal: AbortSignal,
): Promise<bigint | 'unknown' | undefined> {
  for (let waitMs = 50; !signal.aborted; waitMs = Math.min(waitMs * 2, MAX_POLL_MS)) {
    const charge = await billing.close(accountId, keyId, requestId).catch(() => undefined);
    if (charge?.state === 'ended') return charge.nano;
    if (charge?.state === 'expired') return 'unknown';
    await pause(waitMs, signal);
  }
  return undefined;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
