import { CircuitBreaker, type CircuitState } from './circuit-breaker';
import type { Route } from './route';
import { isCallersFault, type UpstreamFailure } from './upstream-failure';

/** Targets come from the catalog, and seldom go; so many that this is reached are a mistake. */
const MAX_TARGETS = 10_000;

/** The circuits of all targets, as this process sees them. */
export class TargetHealth {
  readonly #breakers = new Map<string, CircuitBreaker>();
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
    const states = routes.map((route) => this.#breaker(route).state(nowMs));
    if (states.every((state) => state === 'closed')) return routes;
    const having = (...wanted: CircuitState[]) =>
      routes.filter((_, index) => wanted.includes(states[index]!));
    return [...having('closed', 'half-open'), ...having('cooling'), ...having('suspect')];
  }

  /** False: it is out by now, for another call has failed or is the probe; this one must not go there. */
  begin(route: Route): boolean {
    const breaker = this.#breaker(route);
    const nowMs = this.#nowMs();
    if (breaker.state(nowMs) === 'open') return false;
    breaker.begin(nowMs);
    return true;
  }

  succeeded(route: Route): void {
    this.#breaker(route).succeeded();
  }

  /** A refusal that is the caller's doing speaks for the target's health. */
  failed(route: Route, failure: UpstreamFailure, accountId: string): void {
    if (isCallersFault(failure)) this.succeeded(route);
    else this.#breaker(route).failed(failure, accountId, this.#nowMs());
  }

  /** A reply that had begun broke off. */
  broke(route: Route): void {
    this.#breaker(route).broke(this.#nowMs());
  }

  /** A reply came whole. */
  ended(route: Route): void {
    this.#breaker(route).ended();
  }

  /** For metrics. */
  states(): { provider: string; upstreamModel: string; state: CircuitState }[] {
    const nowMs = this.#nowMs();
    return [...this.#breakers].map(([name, breaker]) => {
      const [provider = '', upstreamModel = ''] = name.split(SEPARATOR);
      return { provider, upstreamModel, state: breaker.state(nowMs) };
    });
  }

  #breaker({ provider, target }: Route): CircuitBreaker {
    const name = `${provider.id}${SEPARATOR}${target.upstreamModel}`;
    let breaker = this.#breakers.get(name);
    if (!breaker) {
      if (this.#breakers.size >= MAX_TARGETS) this.#breakers.clear();
      breaker = new CircuitBreaker(this.#firstWaitMs);
      this.#breakers.set(name, breaker);
    }
    return breaker;
  }
}

const SEPARATOR = '\n';
