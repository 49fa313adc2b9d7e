import { DailyCosts } from './daily-costs';
import { RollingSum } from './rolling-sum';
import { credentialName, type Route } from './route';
import type { UpstreamFailure } from './upstream-failure';

/** Credentials come from the catalog and are rarely removed, so this limit is only a safeguard. */
const MAX_TRACKED = 10_000;
/** When a call ends can't be foreseen. */
const CONCURRENCY_WAIT_MS = 1_000;

interface Use {
  readonly requests: RollingSum;
  readonly tokens: RollingSum;
  inFlight: number;
}

/**
 * Keeps the calls with each credential within its own limits, so that the provider has no reason to refuse them. It counts the
 * calls of this process only; a daily limit of the cost is that of all instances.
 */
export class CredentialLimiter {
  readonly #uses = new Map<string, Use>();
  readonly #nowMs: () => number;
  readonly #costs: DailyCosts;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number, costs = new DailyCosts(Date.now)) {
    this.#nowMs = nowMs;
    this.#costs = costs;
  }

  /**
   * Returns the failure of a route whose credential is at a limit; undefined: it may be used. A daily limit makes it unavailable
   * rather than rate limited: a `Retry-After` of up to a day would not help clients, and the operator may raise the limit any time.
   * @param inputTokens called only if the credential has a limit of tokens
   */
  refusal(route: Route, inputTokens: () => number): UpstreamFailure | undefined {
    const { provider, credential } = route;
    if (this.#costs.isSpent(credential.id)) {
      const cause = new Error(`credential ${credential.name} of ${provider.id} is at its daily cost limit`);
      return { kind: 'unreachable', cause };
    }
    const waitMs = this.waitMs(route, inputTokens);
    if (waitMs === 0) return undefined;
    return { kind: 'status', status: 429, retryAfterSeconds: Math.ceil(waitMs / 1_000) };
  }

  /**
   * Returns the milliseconds until the credential may be used for a call; 0: now. A call with more tokens than the limit is
   * allowed while no other one counts.
   * @param inputTokens called only if the credential has a limit of tokens
   */
  waitMs(route: Route, inputTokens: () => number): number {
    const { limits } = route.credential;
    if (!limits) return 0;
    const { requestsPerMinute, tokensPerMinute, concurrency } = limits;
    const nowMs = this.#nowMs();
    const use = this.#use(route);
    const waits = [
      concurrency !== undefined && use.inFlight >= concurrency ? CONCURRENCY_WAIT_MS : 0,
      requestsPerMinute === undefined ? 0 : use.requests.waitMs(nowMs, requestsPerMinute - 1),
      tokensPerMinute === undefined
        ? 0
        : use.tokens.waitMs(nowMs, Math.max(0, tokensPerMinute - inputTokens())),
    ];
    return Math.max(...waits);
  }

  /** Counts a call that is sent now. Must be followed by `leave`. */
  enter(route: Route, inputTokens: () => number): void {
    if (!route.credential.limits) return;
    const nowMs = this.#nowMs();
    const use = this.#use(route);
    use.inFlight++;
    use.requests.add(nowMs, 1);
    if (route.credential.limits.tokensPerMinute !== undefined) use.tokens.add(nowMs, inputTokens());
  }

  leave(route: Route): void {
    if (!route.credential.limits) return;
    const use = this.#use(route);
    // Zero if the limits were set while the call was in flight.
    use.inFlight = Math.max(0, use.inFlight - 1);
  }

  /** Counts what a reply adds to the tokens of its call. */
  addOutput(route: Route, tokens: number): void {
    if (route.credential.limits?.tokensPerMinute === undefined) return;
    this.#use(route).tokens.add(this.#nowMs(), tokens);
  }

  /** Counts what the provider charges for a reply. */
  addCost({ credential }: Route, costNano: bigint): void {
    this.#costs.add(credential.id, costNano);
  }

  #use({ provider, credential }: Route): Use {
    const key = credentialName(provider.id, credential.id);
    let use = this.#uses.get(key);
    if (!use) {
      if (this.#uses.size >= MAX_TRACKED) this.#uses.clear();
      use = { requests: new RollingSum(), tokens: new RollingSum(), inFlight: 0 };
      this.#uses.set(key, use);
    }
    return use;
  }
}
