import { CircuitBreaker, type CircuitState } from './circuit-breaker';
import { type CallFigures, RecentCalls } from './recent-calls';
import type { Route } from './route';
import { isClientError, type UpstreamFailure } from './upstream-failure';

/** Targets come from the catalog and are rarely removed, so this limit is only a safeguard. */
const MAX_TARGETS = 10_000;

interface KnownTarget {
  readonly provider: string;
  readonly upstreamModel: string;
  readonly breaker: CircuitBreaker;
  readonly recent: RecentCalls;
}

export interface TargetState {
  readonly provider: string;
  readonly upstreamModel: string;
  readonly state: CircuitState;
}

export interface TargetReport extends TargetState, CallFigures {}

/** The circuits of all targets as this process sees them, and the outcomes of their calls. */
export class TargetHealth {
  readonly #targets = new Map<string, KnownTarget>();
  readonly #nowMs: () => number;
  readonly #firstWaitMs: number;

  /**
   * @param nowMs a monotonic clock
   * @param firstWaitMs from the opening of a circuit to its first probe
   */
  constructor(nowMs: () => number, firstWaitMs: number) {
    this.#nowMs = nowMs;
    this.#firstWaitMs = firstWaitMs;
  }

  /** Returns the targets to try: closed and half-open ones in the given order, then cooling, then suspect ones; no open ones. */
  inOrder<R extends Route>(routes: readonly R[]): readonly R[] {
    const nowMs = this.#nowMs();
    const states = routes.map((route) => this.#target(route).breaker.state(nowMs));
    if (states.every((state) => state === 'closed')) return routes;
    const having = (...wanted: CircuitState[]) =>
      routes.filter((_, index) => wanted.includes(states[index]!));
    return [...having('closed', 'half-open'), ...having('cooling'), ...having('suspect')];
  }

  /** Returns whether the call may use the target; false if its circuit has opened meanwhile or another call is the probe. */
  admit(route: Route): boolean {
    const { breaker } = this.#target(route);
    const nowMs = this.#nowMs();
    if (breaker.state(nowMs) === 'open') return false;
    breaker.startCall(nowMs);
    return true;
  }

  /** @param tookMs absent for a refusal, whose duration does not represent the target's latency */
  recordSuccess(route: Route, tookMs?: number): void {
    const { breaker, recent } = this.#target(route);
    recent.recordSuccess(this.#nowMs(), tookMs);
    breaker.recordSuccess();
  }

  /** Records a failure. A refusal caused by the client counts as a success: it shows that the target is healthy. */
  recordFailure(route: Route, failure: UpstreamFailure, accountId: string): void {
    if (isClientError(failure)) {
      this.recordSuccess(route);
      return;
    }
    const { breaker, recent } = this.#target(route);
    const nowMs = this.#nowMs();
    recent.recordFailure(nowMs, failure);
    breaker.recordFailure(failure, accountId, nowMs);
  }

  /** Records that a reply was cut after it had started. */
  recordBrokenReply(route: Route): void {
    const { breaker, recent } = this.#target(route);
    const nowMs = this.#nowMs();
    recent.recordBrokenReply(nowMs);
    breaker.recordBrokenReply(nowMs);
  }

  /** Records a complete reply. */
  recordCompleteReply(route: Route): void {
    this.#target(route).breaker.recordCompleteReply();
  }

  /** For metrics. */
  states(): TargetState[] {
    const nowMs = this.#nowMs();
    return [...this.#targets.values()].map(({ provider, upstreamModel, breaker }) => ({
      provider,
      upstreamModel,
      state: breaker.state(nowMs),
    }));
  }

  /** For operators. */
  reports(): TargetReport[] {
    const nowMs = this.#nowMs();
    return [...this.#targets.values()].map(({ provider, upstreamModel, breaker, recent }) => ({
      provider,
      upstreamModel,
      state: breaker.state(nowMs),
      ...recent.figures(nowMs),
    }));
  }

  #target({ provider, target: { upstreamModel } }: Route): KnownTarget {
    const name = `${provider.id}\n${upstreamModel}`;
    let target = this.#targets.get(name);
    if (!target) {
      if (this.#targets.size >= MAX_TARGETS) this.#targets.clear();
      const breaker = new CircuitBreaker(this.#firstWaitMs);
      target = { provider: provider.id, upstreamModel, breaker, recent: new RecentCalls() };
      this.#targets.set(name, target);
    }
    return target;
  }
}
