import { CircuitBreaker, type CircuitState } from './circuit-breaker';
import { type CallFigures, RecentCalls } from './recent-calls';
import type { Route } from './route';
import { isCallersFault, type UpstreamFailure } from './upstream-failure';

/** Targets come from the catalog, and seldom go; so many that this is reached are a mistake. */
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

/** The circuits of all targets, as this process sees them, and what became of the calls to them. */
export class TargetHealth {
  readonly #targets = new Map<string, KnownTarget>();
  readonly #nowMs: () => number;
  readonly #firstWaitMs: number;

  /**
   * @param nowMs a clock that never goes back
   * @param firstWaitMs from a circuit's opening to its first probe
   */
  constructor(nowMs: () => number, firstWaitMs: number) {
    this.#nowMs = nowMs;
    this.#firstWaitMs = firstWaitMs;
  }

  /** Those worth trying, in the order given but for ailing ones, which come last; empty when all are out. */
  inOrder<R extends Route>(routes: readonly R[]): readonly R[] {
    const nowMs = this.#nowMs();
    const states = routes.map((route) => this.#target(route).breaker.state(nowMs));
    if (states.every((state) => state === 'closed')) return routes;
    const having = (...wanted: CircuitState[]) =>
      routes.filter((_, index) => wanted.includes(states[index]!));
    return [...having('closed', 'half-open'), ...having('cooling'), ...having('suspect')];
  }

  /** False: it is out by now, for another call has failed or is the probe; this one must not go there. */
  begin(route: Route): boolean {
    const { breaker } = this.#target(route);
    const nowMs = this.#nowMs();
    if (breaker.state(nowMs) === 'open') return false;
    breaker.begin(nowMs);
    return true;
  }

  /** @param tookMs absent where it tells nothing of the target's pace: a refusal */
  succeeded(route: Route, tookMs?: number): void {
    const { breaker, recent } = this.#target(route);
    recent.answered(this.#nowMs(), tookMs);
    breaker.succeeded();
  }

  /** A refusal that is the caller's doing speaks for the target's health. */
  failed(route: Route, failure: UpstreamFailure, accountId: string): void {
    if (isCallersFault(failure)) {
      this.succeeded(route);
      return;
    }
    const { breaker, recent } = this.#target(route);
    const nowMs = this.#nowMs();
    recent.failed(nowMs, failure);
    breaker.failed(failure, accountId, nowMs);
  }

  /** A reply that had begun broke off. */
  broke(route: Route): void {
    const { breaker, recent } = this.#target(route);
    const nowMs = this.#nowMs();
    recent.broke(nowMs);
    breaker.broke(nowMs);
  }

  /** A reply came whole. */
  ended(route: Route): void {
    this.#target(route).breaker.ended();
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
