import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { Lease } from '../../calls/lease';
import { type CallToRun, type RunOptions, runCall } from '../../calls/run-call';
import { storeAnswer } from '../../calls/store-answer';
import type { BackgroundMetrics } from '../../metrics';
import { endedResponse, failedResponse, ownIdOf, type ResponseEnd } from '../rules/background-response';
import type { BackgroundCall, BackgroundCalls } from '../store/background-calls';

export interface BackgroundDeps {
  readonly background: BackgroundCalls;
  readonly calls: Parameters<typeof runCall>[0];
  readonly metrics: Pick<BackgroundMetrics, 'started' | 'ended'>;
  readonly log: Logger;
}

/** A call in this process. */
export interface OwnCall {
  readonly call: BackgroundCall;
  readonly runner: string;
  readonly lease: Pick<Lease, 'signal' | 'lose'>;
  /** This process is about to stop: nothing more is sent. */
  readonly isDraining: () => boolean;
}

/**
 * Runs the call of a response to its end. Returns early, without its end, when a rate limit refuses it for now, the signal is aborted or
 * the process drains.
 */
export async function runResponse(deps: BackgroundDeps, own: OwnCall): Promise<void> {
  const { calls, background, metrics } = deps;
  const { call, runner, lease, isDraining } = own;
  const { responseId, queued } = call;
  const { signal } = lease;
  const firstRequestId = ownIdOf(responseId);
  const isLate = () => Date.now() >= call.startBy.getTime();
  let refused: { readonly waitMs: number; readonly error: GatewayError } | undefined;
  const options: RunOptions = {
    lostRequestId: call.requestId,
    firstRequestId: call.refusal ? undefined : firstRequestId,
    async begin(requestId) {
      if (!(await background.begin(responseId, runner, requestId))) {
        lease.lose();
        throw new Error('another process has the call, or the response has ended');
      }
      if (requestId === firstRequestId) metrics.started(Date.now() - call.createdAt.getTime());
    },
    ready: async () => !signal.aborted && !isDraining() && !refused && !isLate(),
    onRateLimited(waitMs, error) {
      refused = { waitMs, error };
    },
    signal,
  };
  const end = await runCall(calls, toChat(call), options);
  try {
    if (signal.aborted) return;
    if (end) {
      await store(deps, own, end.requestId, endedResponse(queued, call.inputBytes, end));
    } else if (isLate()) {
      const refusal = refused?.error ?? (call.refusal ? GatewayError.fromCode(call.refusal) : notStarted());
      await store(deps, own, undefined, failedResponse(queued, refusal));
    } else if (refused) {
      await background.postpone(responseId, runner, refused.waitMs, refused.error.code);
    }
  } finally {
    if (end && 'reply' in end) end.reply.release();
  }
}

async function store(
  { background, metrics, log }: BackgroundDeps,
  { call, runner, lease: { signal } }: OwnCall,
  requestId: string | undefined,
  ended: ResponseEnd,
): Promise<void> {
  const hasEnded = await storeAnswer(
    signal,
    () => background.end(call, { runner, requestId }, ended),
    (err) => log.warn({ err, response: call.responseId }, 'a response in the background could not be stored'),
  );
  if (hasEnded) metrics.ended(ended.status);
}

const toChat = ({ responseId, accountId, keyId, body }: BackgroundCall): CallToRun => ({
  accountId,
  keyId,
  path: '/v1/responses',
  // Chat answers with what is to be stored, under the id of the response.
  headers: { 'content-type': 'application/json', 'x-gateway-background': ownIdOf(responseId) },
  body,
});

const notStarted = () => new GatewayError('internal_error', { detail: 'the call could not be sent in time' });
