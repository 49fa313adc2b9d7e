import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import {
  type CredentialLimiter,
  failureOf,
  type ProviderConnection,
  preferRetryable,
  type Route,
  type TargetHealth,
  timeoutsOfTarget,
  type UpstreamError,
  type UpstreamFailure,
} from '@gateway/upstream';
import { MediaRefused } from '../domain/media-refused';
import { isNotStarted, NotStarted } from '../domain/not-started';
import type { UpstreamTimeouts } from '../domain/upstream';
import type { TargetMetrics } from '../metrics';
import { failureFacts } from './failure-facts';
import { countedCall, limitFailure } from './limited-call';

export interface DispatcherDeps {
  readonly health: TargetHealth;
  readonly limiter: Pick<CredentialLimiter, 'refusal' | 'enter' | 'leave'>;
  readonly metrics: TargetMetrics;
  readonly timeouts: UpstreamTimeouts;
}

interface DispatchedProvider {
  readonly id: string;
  readonly connection?: ProviderConnection;
}

export interface Dispatched<Provider extends DispatchedProvider, Result> {
  readonly accountId: string;
  /** In the order in which they are tried. */
  readonly routes: readonly Route<Provider>[];
  readonly log: Logger;
  /** Called before each attempt. @throws if the attempt must not be made */
  beforeTry(route: Route<Provider>): Promise<void>;
  /** Sends the order to a target. */
  send(route: Route<Provider>, timeouts: UpstreamTimeouts): Promise<Result>;
  /**
   * Resolves when the reply of a target is complete, and rejects with the failure that breaks it; absent: it is complete when `send`
   * resolves.
   */
  ended?(result: Result): Promise<unknown>;
}

export interface DispatchResult<Provider extends DispatchedProvider, Result> {
  readonly route: Route<Provider>;
  readonly result: Result;
}

/** Finds the target that carries out an order. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /**
   * Tries the next target only if the previous one certainly did not start: an order that may have been carried out is not
   * repeated.
   * @throws the error of the last attempt, or the failure for which a retry is most promising
   */
  async dispatch<Provider extends DispatchedProvider, Result>(
    order: Dispatched<Provider, Result>,
  ): Promise<DispatchResult<Provider, Result>> {
    const { health } = this.#deps;
    let failure: UpstreamFailure = { kind: 'unreachable', cause: new Error('every circuit is open') };
    for (const route of health.inOrder(order.routes) as readonly Route<Provider>[]) {
      const limited = limitFailure(this.#deps, route);
      if (limited) {
        failure = preferRetryable(failure, limited);
        continue;
      }
      if (!health.admit(route)) continue;
      await stored(() => order.beforeTry(route));
      try {
        return { route, result: await this.#try(route, order) };
      } catch (error) {
        if (!isNotStarted(error)) throw error;
        failure = preferRetryable(failure, (error as UpstreamError).failure);
        const { provider, credential } = route;
        const facts = {
          provider: provider.id,
          credential: credential.name,
          ...failureFacts(error),
        };
        order.log.warn(facts, 'provider did not accept the request');
      }
    }
    throw new NotStarted(failure);
  }

  async #try<Provider extends DispatchedProvider, Result>(
    route: Route<Provider>,
    order: Dispatched<Provider, Result>,
  ): Promise<Result> {
    const { health, metrics, timeouts } = this.#deps;
    const { provider, target } = route;
    const startMs = performance.now();
    const failed = (error: unknown) => {
      const failure = targetFailureOf(error);
      if (failure) health.recordFailure(route, failure, order.accountId);
      else health.recordSuccess(route);
      metrics.failed(route, failure);
    };
    try {
      const call = () => order.send(route, timeoutsOfTarget(target, provider.connection, timeouts));
      const result = await countedCall(this.#deps, route, call, (begun) => order.ended?.(begun));
      const tookMs = performance.now() - startMs;
      health.recordSuccess(route, tookMs);
      metrics.answered(route, tookMs);
      order.ended?.(result).catch(failed);
      return result;
    } catch (error) {
      failed(error);
      throw error;
    }
  }
}

/** Returns the failure that counts against the health of a target; a refused order does not. */
function targetFailureOf(error: unknown): UpstreamFailure | undefined {
  return error instanceof MediaRefused ? undefined : failureOf(error);
}

/** Wraps a failure before the request is sent: it is the gateway's error, not the provider's. */
async function stored(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw GatewayError.from(error);
  }
}
