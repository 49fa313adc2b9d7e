import { failedBy } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import { type Failover, type Route, timeoutsOfTarget } from '@gateway/upstream';
import type { Bill } from '../billing/bill';
import { onceVerdict } from '../domain/not-started';
import type { UpstreamTimeouts } from '../domain/upstream';
import type { OwnKey } from '../idempotency/own-key';
import { failureOfSubmit, type SubmitFailure, submitFailure, submitFailureOf } from './rules/submit-failure';
import type { Submitted, UpstreamTask, VideoOrder, VideoProvider } from './rules/video-provider';
import type { NewTask, RecoverableTask } from './rules/video-task';

export type VideoRoute = Route<VideoProvider>;

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
  readonly #failover: Pick<Failover, 'firstAnswer'>;
  readonly #timeouts: UpstreamTimeouts;

  constructor(failover: Pick<Failover, 'firstAnswer'>, timeouts: UpstreamTimeouts) {
    this.#failover = failover;
    this.#timeouts = timeouts;
  }

  /** @throws GatewayError after ending bill and key */
  async submit(submission: VideoSubmission): Promise<SubmittedTask> {
    const { bill, own, log } = submission;
    const outcome = await this.#try(submission);
    if ('upstreamId' in outcome) return outcome;
    const { error, bill: end } = outcome;
    if (error.code === 'internal_error') log.error({ err: error.cause }, 'video request failed');
    else log.warn({ code: error.code, outcome: end }, 'video request refused');
    await (end === 'lost' ? own.lost() : own.free());
    await bill[end === 'lost' ? 'lose' : 'release'](failedBy(error));
    throw error.withRates(bill.grant.rates);
  }

  async #try(submission: VideoSubmission): Promise<SubmittedTask | SubmitFailure> {
    const sent = await this.#send(submission).catch((error) => GatewayError.from(error));
    // What must be durable before a provider is called could not be stored.
    if (sent instanceof GatewayError) return { error: sent, bill: 'released' };
    if ('failure' in sent) return submitFailure(sent.failure);
    if ('error' in sent) return submitFailureOf(sent.error);
    const { answer, route } = sent;
    if (answer.upstreamId === undefined)
      return { error: new GatewayError('video_task_id_missing'), bill: 'released' };
    return { ...answer, provider: route.provider.id, credentialId: route.credential.id };
  }

  /** @throws if the call or an attempt could not be stored; its provider is not called then */
  async #send(submission: VideoSubmission) {
    const { bill, own, order, routes, log } = submission;
    const { accountId, requestId } = bill.call;
    // The client's disconnect cancels nothing: the request may have been accepted, and is then carried out.
    const { signal } = new AbortController();
    await own.dispatched();
    return this.#failover.firstAnswer<VideoRoute, Submitted>({
      accountId,
      routes,
      log,
      beforeAttempt: (route) => bill.dispatched(route.provider.id, recoverableTask(submission, route)),
      requestTo:
        ({ provider, target }) =>
        (onEnd) => {
          const timeouts = timeoutsOfTarget(target, provider.connection, this.#timeouts);
          const { upstreamModel } = target;
          return provider.submit({ ...order, upstreamModel }, { requestId, signal, timeouts }).finally(onEnd);
        },
      verdictOf: (error) => onceVerdict(error, failureOfSubmit),
    });
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
