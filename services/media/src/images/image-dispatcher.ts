import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import {
  type CredentialLimiter,
  preferRetryable,
  type Route,
  type TargetHealth,
  timeoutsOfTarget,
  type UpstreamError,
  type UpstreamFailure,
} from '@gateway/upstream';
import { failureText } from '../calls/failure-text';
import { countedCall, limitFailure } from '../calls/limited-call';
import type { UpstreamTimeouts } from '../domain/upstream';
import type { TargetMetrics } from '../metrics';
import type { FittedImageOrder } from './rules/fit-image-order';
import { isNotStarted, NotStarted, targetFailureOf } from './rules/image-failure';
import type { ImageProvider, ImageResult } from './rules/image-provider';

export type ImageRoute = Route<ImageProvider>;

export interface ImageDispatcherDeps {
  readonly health: TargetHealth;
  readonly limiter: Pick<CredentialLimiter, 'refusal' | 'enter' | 'leave'>;
  readonly metrics: TargetMetrics;
  readonly timeouts: UpstreamTimeouts;
}

export interface DispatchedImage {
  readonly requestId: string;
  readonly accountId: string;
  readonly order: FittedImageOrder;
  /** In the order in which they are tried. */
  readonly routes: readonly ImageRoute[];
  readonly signal: AbortSignal;
  readonly isResponseStored: () => boolean;
  readonly log: Logger;
  /** Called before each attempt. @throws if the attempt must not be made */
  beforeTry(route: ImageRoute): Promise<void>;
}

export interface DispatchResult {
  readonly route: ImageRoute;
  readonly result: ImageResult;
}

/** Finds the target that carries out an order. */
export class ImageDispatcher {
  readonly #deps: ImageDispatcherDeps;

  constructor(deps: ImageDispatcherDeps) {
    this.#deps = deps;
  }

  /**
   * Tries the next target only if the previous one certainly did not start: an order that may have been carried out is not
   * repeated.
   * @throws the error of the last attempt, or the failure for which a retry is most promising
   */
  async generate(image: DispatchedImage): Promise<DispatchResult> {
    const { health } = this.#deps;
    let failure: UpstreamFailure = { kind: 'unreachable', cause: new Error('every circuit is open') };
    for (const route of health.inOrder(image.routes) as readonly ImageRoute[]) {
      const limited = limitFailure(this.#deps, route);
      if (limited) {
        failure = preferRetryable(failure, limited);
        continue;
      }
      if (!health.admit(route)) continue;
      await stored(() => image.beforeTry(route));
      try {
        return { route, result: await this.#try(route, image) };
      } catch (error) {
        if (!isNotStarted(error)) throw error;
        failure = preferRetryable(failure, (error as UpstreamError).failure);
        const { provider, credential } = route;
        const facts = {
          provider: provider.id,
          credential: credential.name,
          failure: failureText(error),
        };
        image.log.warn(facts, 'provider did not accept the request');
      }
    }
    throw new NotStarted(failure);
  }

  async #try(
    route: ImageRoute,
    { requestId, accountId, order, signal, isResponseStored }: DispatchedImage,
  ): Promise<ImageResult> {
    const { health, metrics, timeouts } = this.#deps;
    const { provider, target } = route;
    const startMs = performance.now();
    try {
      const call = {
        requestId,
        signal,
        isResponseStored,
        timeouts: timeoutsOfTarget(target, provider.connection, timeouts),
      };
      const result = await countedCall(this.#deps, route, () =>
        provider.generate({ ...order, upstreamModel: target.upstreamModel }, call),
      );
      const tookMs = performance.now() - startMs;
      health.recordSuccess(route, tookMs);
      metrics.answered(route, tookMs);
      return result;
    } catch (error) {
      const failure = targetFailureOf(error);
      if (failure) health.recordFailure(route, failure, accountId);
      else health.recordSuccess(route);
      metrics.failed(route, failure);
      throw error;
    }
  }
}

/** Wraps a failure before the request is sent: it is the gateway's error, not the provider's. */
async function stored(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw GatewayError.from(error);
  }
}
