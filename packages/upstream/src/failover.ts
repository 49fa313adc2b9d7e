import type { CredentialLimiter } from './credential-limiter';
import type { Route } from './route';
import type { TargetHealth } from './target-health';
import { failureOf, isClientError, preferRetryable, type UpstreamFailure } from './upstream-failure';

/** Counters of the requests to each target. */
export interface AttemptMetrics {
  answered(route: Route, firstByteMs: number): void;
  /** @param failure undefined if the target refused the call */
  failed(route: Route, failure: UpstreamFailure | undefined): void;
}

export interface FailoverDeps {
  readonly health: Pick<
    TargetHealth,
    'inOrder' | 'admit' | 'enter' | 'leave' | 'recordSuccess' | 'recordFailure'
  >;
  readonly limiter: Pick<CredentialLimiter, 'refusal' | 'enter' | 'leave'>;
  readonly metrics: AttemptMetrics;
}

/** A call that any of its routes may answer. */
export interface RoutedCall<R extends Route, Answer> {
  readonly accountId: string;
  /** In the order in which they are tried, as far as their targets are healthy. */
  readonly routes: readonly R[];
  readonly log: { warn(facts: object, message: string): void };
  /**
   * Aborted when the client disconnects, which ends the call and is no failure of a target; undefined: the call continues without
   * its client.
   */
  readonly client?: AbortSignal;
  /** Estimated; undefined: the call does not count against limits of tokens. */
  readonly inputTokens?: () => number;
  /** Returns the request to a route; undefined if its provider cannot carry the call. */
  requestTo(route: R): TargetRequest<Answer> | undefined;
  /** Stores what must be durable before a route's target is called. @throws if the target must not be called */
  beforeAttempt?(route: R): Promise<void>;
  /** Undefined: every other target is tried, unless the failure is the client's. */
  verdictOf?(error: unknown): Verdict;
}

/**
 * Sends a request and returns what counts as the beginning of an answer.
 * @param onEnd must be called when the answer is complete, or with the error that broke it: until then the call counts as in flight
 * @throws the failure of the target
 */
export type TargetRequest<Answer> = (onEnd: (error?: unknown) => void) => Promise<Answer>;

/** What the error of a target means. */
export interface Verdict {
  /** Undefined: the target is healthy and refused the call. */
  readonly failure: UpstreamFailure | undefined;
  /** No other target may be tried. */
  readonly isFinal: boolean;
}

/** A request to one target. */
export interface Attempt<R extends Route = Route> {
  readonly route: R;
  readonly outcome: 'answered' | 'refused' | UpstreamFailure;
  /** To the beginning of the answer, or to the failure. */
  readonly firstByteMs: number;
}

export interface Answered<R extends Route, Answer> {
  readonly route: R;
  readonly answer: Answer;
  readonly attempts: readonly Attempt<R>[];
}

/** No target answered. */
export type Unanswered<R extends Route> = { readonly attempts: readonly Attempt<R>[] } & (
  | {
      /** That of the last attempt, which was final. */
      readonly error: unknown;
    }
  | {
      /** Of all routes, the one for which a retry is most promising. */
      readonly failure: UpstreamFailure;
    }
);

interface JudgedCall {
  readonly accountId: string;
  readonly verdictOf?: ((error: unknown) => Verdict) | undefined;
}

const NO_TOKENS = () => 0;

/** Sends calls along their routes, within the limits of the credentials and past open circuits, until a target answers. */
export class Failover {
  readonly #deps: FailoverDeps;

  constructor(deps: FailoverDeps) {
    this.#deps = deps;
  }

  /** @throws what `beforeAttempt` throws; the error of a target after its client has disconnected */
  async firstAnswer<R extends Route, Answer>(
    call: RoutedCall<R, Answer>,
  ): Promise<Answered<R, Answer> | Unanswered<R>> {
    const { health, limiter, metrics } = this.#deps;
    const attempts: Attempt<R>[] = [];
    let failure: UpstreamFailure | undefined;
    for (const route of health.inOrder(call.routes)) {
      const request = call.requestTo(route);
      if (!request) continue;
      const limited = limiter.refusal(route, call.inputTokens ?? NO_TOKENS);
      if (limited) {
        failure = failure ? preferRetryable(failure, limited) : limited;
        continue;
      }
      if (!health.admit(route)) continue;
      if (call.beforeAttempt) await call.beforeAttempt(route);
      const startMs = performance.now();
      try {
        const answer = await this.#inFlight(call, route, request);
        const firstByteMs = performance.now() - startMs;
        health.recordSuccess(route, firstByteMs);
        metrics.answered(route, firstByteMs);
        attempts.push({ route, outcome: 'answered', firstByteMs });
        return { route, answer, attempts };
      } catch (error) {
        if (call.client?.aborted) throw error;
        const verdict = this.#recordFailure(call, route, error);
        const outcome = verdict.failure ?? 'refused';
        attempts.push({ route, outcome, firstByteMs: performance.now() - startMs });
        if (outcome !== 'refused' && !isClientError(outcome)) logFailure(call, route, error);
        if (verdict.isFinal || outcome === 'refused') return { error, attempts };
        failure = failure ? preferRetryable(failure, outcome) : outcome;
      }
    }
    failure ??= { kind: 'unreachable', cause: new Error('every circuit is open') };
    return { failure, attempts };
  }

  /** Counts the call as in flight until its answer is complete or broken, or its target fails. */
  async #inFlight<R extends Route, Answer>(
    call: RoutedCall<R, Answer>,
    route: R,
    request: TargetRequest<Answer>,
  ): Promise<Answer> {
    const { health, limiter } = this.#deps;
    const { accountId, verdictOf } = call;
    let isInFlight = true;
    // Connections may hold it for long, so it does not hold the call.
    const leave = (error?: unknown) => {
      if (!isInFlight) return;
      isInFlight = false;
      health.leave(route);
      limiter.leave(route);
      if (error !== undefined) this.#recordFailure({ accountId, verdictOf }, route, error);
    };
    health.enter(route);
    limiter.enter(route, call.inputTokens ?? NO_TOKENS);
    try {
      return await request(leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #recordFailure(
    { accountId, verdictOf = verdictOfRepeatable }: JudgedCall,
    route: Route,
    error: unknown,
  ): Verdict {
    const { health, metrics } = this.#deps;
    const verdict = verdictOf(error);
    const { failure } = verdict;
    if (failure) health.recordFailure(route, failure, accountId);
    else health.recordSuccess(route);
    metrics.failed(route, failure);
    return verdict;
  }
}

function logFailure<R extends Route>({ log }: RoutedCall<R, unknown>, route: R, err: unknown): void {
  const { provider, credential } = route;
  log.warn({ provider: provider.id, credential: credential.name, err }, 'provider failed before its reply');
}

function verdictOfRepeatable(error: unknown): Verdict {
  const failure = failureOf(error);
  return { failure, isFinal: isClientError(failure) };
}

/** Returns the outcome of a failed attempt for metrics: `refused`, `unreachable`, `broken`, or the error status. */
export function failureName(failure: UpstreamFailure | undefined): string {
  return failure?.kind === 'status' ? String(failure.status) : (failure?.kind ?? 'refused');
}
