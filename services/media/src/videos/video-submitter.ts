import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import {
  type CredentialLimiter,
  preferRetryable,
  type Route,
  type TargetHealth,
  timeoutsOfTarget,
  type UpstreamFailure,
} from '@gateway/upstream';
import type { Bill } from '../billing/bill';
import { failureFacts } from '../calls/failure-facts';
import { countedCall, limitFailure } from '../calls/limited-call';
import { MediaRefused } from '../domain/media-refused';
import type { UpstreamTimeouts } from '../domain/upstream';
import type { OwnKey } from '../idempotency/own-key';
import type { ProviderCall } from '../images/rules/image-provider';
import type { TargetMetrics } from '../metrics';
import {
  isNotAccepted,
  orderFailureOf,
  refused,
  type SubmitFailure,
  submitFailure,
} from './rules/submit-failure';
import type { UpstreamTask, VideoOrder, VideoProvider } from './rules/video-provider';
import type { NewTask, RecoverableTask } from './rules/video-task';

export type VideoRoute = Route<VideoProvider>;

export interface VideoSubmitterDeps {
  readonly health: TargetHealth;
  readonly limiter: Pick<CredentialLimiter, 'refusal' | 'enter' | 'leave'>;
  readonly metrics: TargetMetrics;
  readonly timeouts: UpstreamTimeouts;
}

export interface VideoSubmission {
  readonly bill: Bill;
  readonly own: OwnKey;
  readonly order: Omit<VideoOrder, 'upstreamModel'>;
  readonly price: Pick<NewTask, 'requestedMs' | 'perSecondNano'>;
  readonly routes: readonly VideoRoute[];
  /** Of the task to be created. */
  readonly taskId: string;
  readonly log: Logger;
}

/** A task at one of our provider accounts. */
export type SubmittedTask = UpstreamTask & Pick<NewTask, 'provider' | 'credentialId'>;

/**
 * Submits an order once: to another account only if the previous one has certainly not accepted it. If no task is created,
 * the order's bill and key are ended.
 */
export class VideoSubmitter {
  readonly #deps: VideoSubmitterDeps;

  constructor(deps: VideoSubmitterDeps) {
    this.#deps = deps;
  }

  /** @throws GatewayError after ending bill and key */
  async submit(submission: VideoSubmission): Promise<SubmittedTask> {
    const { bill, own, log } = submission;
    const outcome = await this.#try(submission);
    if ('upstreamId' in outcome) return outcome;
    const { error, bill: end } = outcome;
    if (error.code === 'internal_error') log.error({ err: error.cause }, 'video request failed');
    else log.warn({ code: error.code, outcome: end }, 'video request refused');
    const response = { status: error.row.status, errorCode: error.code };
    await (end === 'lost' ? own.lost() : own.free());
    await (end === 'lost' ? bill.lose(response) : bill.release(response));
    throw error.withRates(bill.grant.rates);
  }

  async #try(submission: VideoSubmission): Promise<SubmittedTask | SubmitFailure> {
    const { bill, own, order, routes, log } = submission;
    const { health, metrics } = this.#deps;
    const unclaimed = await storeFailure(() => own.dispatched());
    if (unclaimed) return unclaimed;
    let failure: UpstreamFailure = { kind: 'unreachable', cause: new Error('every circuit is open') };
    for (const route of health.inOrder(routes)) {
      const limited = limitFailure(this.#deps, route);
      if (limited) {
        failure = preferRetryable(failure, limited);
        continue;
      }
      if (!health.admit(route)) continue;
      const recoverable = recoverableTask(submission, route);
      const unsent = await storeFailure(() => bill.dispatched(route.provider.id, recoverable));
      if (unsent) return unsent;
      try {
        return await this.#send(bill, order, route);
      } catch (error) {
        if (error instanceof MediaRefused) {
          health.recordSuccess(route);
          metrics.failed(route, undefined);
          return refused(error.detail);
        }
        const thisFailure = orderFailureOf(error);
        log.warn(
          {
            provider: route.provider.id,
            credential: route.credential.name,
            ...failureFacts(error),
          },
          'provider did not accept the request',
        );
        health.recordFailure(route, thisFailure, bill.call.accountId);
        metrics.failed(route, thisFailure);
        if (!isNotAccepted(thisFailure)) return submitFailure(thisFailure);
        failure = preferRetryable(failure, thisFailure);
      }
    }
    return submitFailure(failure);
  }

  async #send(
    { call: { requestId } }: Bill,
    order: VideoSubmission['order'],
    route: VideoRoute,
  ): Promise<SubmittedTask | SubmitFailure> {
    const { provider, credential, target } = route;
    const { upstreamModel } = target;
    const { health, metrics } = this.#deps;
    const startMs = performance.now();
    const submitted = await countedCall(this.#deps, route, () =>
      provider.submit({ ...order, upstreamModel }, this.#callOf(requestId, route)),
    );
    const tookMs = performance.now() - startMs;
    health.recordSuccess(route, tookMs);
    metrics.answered(route, tookMs);
    if (submitted.upstreamId !== undefined) {
      return { ...submitted, provider: provider.id, credentialId: credential.id };
    }
    return { error: new GatewayError('video_task_id_missing'), bill: 'released' };
  }

  /** The client's disconnect cancels nothing: the order may have been accepted, and is then carried out. */
  #callOf(requestId: string, { provider, target }: VideoRoute): ProviderCall {
    return {
      requestId,
      signal: new AbortController().signal,
      timeouts: timeoutsOfTarget(target, provider.connection, this.#deps.timeouts),
    };
  }
}

/** Returns how to find the task if the response is lost; undefined if its provider can't search for it. */
function recoverableTask(
  { bill, order, price, taskId }: VideoSubmission,
  { provider, credential, target: { upstreamModel } }: VideoRoute,
): RecoverableTask | undefined {
  const upstreamId = provider.externalTaskId?.({ ...order, upstreamModel }, bill.call.requestId);
  return upstreamId === undefined
    ? undefined
    : { taskId, credentialId: credential.id, upstreamId, upstreamModel, tier: order.tier, ...price };
}

/** Stores what must be durable before the provider is called. Returns the failure if that is not possible; the provider is not called then. */
async function storeFailure(write: () => Promise<void>): Promise<SubmitFailure | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    return { error: GatewayError.from(error), bill: 'released' };
  }
}
