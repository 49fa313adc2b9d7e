import { CircuitBreaker, type CircuitState } from './circuit-breaker';
import { type RateLimit, rateLimitsOf } from './rate-limits';
import { type CallFigures, RecentCalls } from './recent-calls';
import { credentialName, type Route, routeName } from './route';
import {
  isClientError,
  isRejectedCredential,
  isUnpaidAccount,
  type UpstreamFailure,
} from './upstream-failure';

/** Far more than are called; the one that was called first is forgotten beyond it. */
const MAX_TRACKED = 50_000;

interface TrackedCredential {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  /** Of rejections of the credential itself, and of its account without funds. */
  readonly breaker: CircuitBreaker;
  readonly recent: RecentCalls;
  lastReply: LastReply | undefined;
}

interface LastReply {
  readonly upstreamModel: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

interface TrackedTarget {
  readonly credential: TrackedCredential;
  readonly upstreamModel: string;
  readonly breaker: CircuitBreaker;
  readonly recent: RecentCalls;
  inFlight: number;
}

export interface TargetState {
  readonly provider: string;
  readonly credentialId: string;
  readonly credentialName: string;
  readonly upstreamModel: string;
  readonly state: CircuitState;
}

export interface TargetReport extends TargetState, CallFigures {
  /** Time until a target that has answered 429 is called again; 0: now. */
  readonly coolingMs: number;
}

export interface CredentialReport extends CallFigures {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  /** Other than closed: the provider has rejected the credential, or its account has no funds. */
  readonly state: CircuitState;
  /** Of the last reply; undefined: there was none, or it named no limits. */
  readonly rateLimits?: {
    readonly upstreamModel: string;
    readonly agoMs: number;
    readonly limits: readonly RateLimit[];
  };
}

/**
 * The circuits of all targets as this process sees them, and the outcomes of their calls. A target is a model at a provider as it
 * is called with one credential: a rate limit or a rejection of one credential does not affect the others.
 */
export class TargetHealth {
  readonly #targets = new Map<string, TrackedTarget>();
  readonly #credentials = new Map<string, TrackedCredential>();
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
    const states = routes.map((route) => this.#stateOf(route, nowMs));
    if (states.every((state) => state === 'closed')) return routes;
    const having = (...wanted: CircuitState[]) =>
      routes.filter((_, index) => wanted.includes(states[index]!));
    return [...having('closed', 'half-open'), ...having('cooling'), ...having('suspect')];
  }

  /** Returns whether the call may use the target; false if its circuit has opened meanwhile or another call is the probe. */
  admit(route: Route): boolean {
    const nowMs = this.#nowMs();
    if (this.#stateOf(route, nowMs) === 'open') return false;
    const target = this.#target(route);
    target.credential.breaker.startCall(nowMs);
    target.breaker.startCall(nowMs);
    return true;
  }

  /** Counts a call as in flight until `leave`. */
  enter(route: Route): void {
    this.#target(route).inFlight++;
  }

  leave(route: Route): void {
    const target = this.#targets.get(routeName(route));
    // Absent or zero if the target was forgotten meanwhile.
    if (target) target.inFlight = Math.max(0, target.inFlight - 1);
  }

  /** Returns the number of calls of this process that the target is answering. */
  inFlight(route: Route): number {
    return this.#targets.get(routeName(route))?.inFlight ?? 0;
  }

  /** Returns the target's recent mean latency; undefined without recent calls. */
  latencyMs(route: Route): number | undefined {
    return this.#targets.get(routeName(route))?.recent.meanMs(this.#nowMs());
  }

  /** Keeps the headers of a reply, from which operators see the rate limits; they are read only then. */
  recordReply(route: Route, headers: Readonly<Record<string, unknown>>): void {
    const { credential, upstreamModel } = this.#target(route);
    credential.lastReply = { upstreamModel, headers, atMs: this.#nowMs() };
  }

  /** @param tookMs absent for a refusal, whose duration does not represent the target's latency */
  recordSuccess(route: Route, tookMs?: number): void {
    const { credential, breaker, recent } = this.#target(route);
    const nowMs = this.#nowMs();
    recent.recordSuccess(nowMs, tookMs);
    credential.recent.recordSuccess(nowMs, tookMs);
    breaker.recordSuccess();
    credential.breaker.recordSuccess();
  }

  /** Records a failure. A refusal caused by the client counts as a success: it shows that the target is healthy. */
  recordFailure(route: Route, failure: UpstreamFailure, accountId: string): void {
    if (isClientError(failure)) {
      this.recordSuccess(route);
      return;
    }
    const { credential, breaker, recent } = this.#target(route);
    const nowMs = this.#nowMs();
    recent.recordFailure(nowMs, failure);
    credential.recent.recordFailure(nowMs, failure);
    if (isRejectedCredential(failure)) credential.breaker.recordRejection(nowMs);
    // Never an outage for one account: what a call costs at most depends on the client.
    else if (isUnpaidAccount(failure)) credential.breaker.recordFailure(failure, accountId, nowMs);
    else breaker.recordFailure(failure, accountId, nowMs);
  }

  /** Records that a reply was cut after it had started. */
  recordBrokenReply(route: Route): void {
    const { credential, breaker, recent } = this.#target(route);
    const nowMs = this.#nowMs();
    recent.recordBrokenReply(nowMs);
    credential.recent.recordBrokenReply(nowMs);
    breaker.recordBrokenReply(nowMs);
  }

  /** Records a complete reply. */
  recordCompleteReply(route: Route): void {
    this.#target(route).breaker.recordCompleteReply();
  }

  /** Forgets a credential and its targets: it was replaced, so what was known of it no longer applies. */
  forget(provider: string, credentialId: string): void {
    this.#credentials.delete(credentialName(provider, credentialId));
    for (const [key, { credential }] of this.#targets) {
      if (credential.provider === provider && credential.id === credentialId) this.#targets.delete(key);
    }
  }

  /** For metrics. */
  states(): TargetState[] {
    const nowMs = this.#nowMs();
    return [...this.#targets.values()].map((target) => toState(target, nowMs));
  }

  /** For operators. */
  reports(): TargetReport[] {
    const nowMs = this.#nowMs();
    return [...this.#targets.values()].map((target) => ({
      ...toState(target, nowMs),
      ...target.recent.figures(nowMs),
      coolingMs: target.breaker.coolingMs(nowMs),
    }));
  }

  /** For operators and metrics. */
  credentialReports(): CredentialReport[] {
    const nowMs = this.#nowMs();
    return [...this.#credentials.values()].map(({ provider, id, name, breaker, recent, lastReply }) => ({
      provider,
      id,
      name,
      state: breaker.state(nowMs),
      ...recent.figures(nowMs),
      ...(lastReply && reportedLimits(lastReply, nowMs)),
    }));
  }

  /** Tracks nothing: most routes of a call are only looked at. */
  #stateOf(route: Route, nowMs: number): CircuitState {
    const target = this.#targets.get(routeName(route));
    if (target) return stateOf(target, nowMs);
    const credential = this.#credentials.get(credentialName(route.provider.id, route.credential.id));
    return credential?.breaker.state(nowMs) ?? 'closed';
  }

  #target(route: Route): TrackedTarget {
    const { target } = route;
    const name = routeName(route);
    let tracked = this.#targets.get(name);
    if (!tracked) {
      if (this.#targets.size >= MAX_TRACKED) forgetFirst(this.#targets);
      tracked = {
        credential: this.#credential(route),
        upstreamModel: target.upstreamModel,
        breaker: new CircuitBreaker(this.#firstWaitMs),
        recent: new RecentCalls(),
        inFlight: 0,
      };
      this.#targets.set(name, tracked);
    }
    return tracked;
  }

  #credential(route: Route): TrackedCredential {
    const { provider, credential } = route;
    const { id, name } = credential;
    const key = credentialName(provider.id, id);
    let tracked = this.#credentials.get(key);
    if (!tracked) {
      if (this.#credentials.size >= MAX_TRACKED) forgetFirst(this.#credentials);
      const breaker = new CircuitBreaker(this.#firstWaitMs);
      const recent = new RecentCalls();
      tracked = { provider: provider.id, id, name, breaker, recent, lastReply: undefined };
      this.#credentials.set(key, tracked);
    }
    return tracked;
  }
}

function forgetFirst(tracked: Map<string, unknown>): void {
  const [first] = tracked.keys();
  if (first !== undefined) tracked.delete(first);
}

function reportedLimits(
  { upstreamModel, headers, atMs }: LastReply,
  nowMs: number,
): Pick<CredentialReport, 'rateLimits'> {
  const agoMs = nowMs - atMs;
  const limits = rateLimitsOf(headers, Date.now() - agoMs);
  return limits.length > 0 ? { rateLimits: { upstreamModel, agoMs, limits } } : {};
}

/** The circuit of the credential counts unless it is closed. */
function stateOf({ credential, breaker }: TrackedTarget, nowMs: number): CircuitState {
  const ofCredential = credential.breaker.state(nowMs);
  return ofCredential === 'closed' ? breaker.state(nowMs) : ofCredential;
}

const toState = (target: TrackedTarget, nowMs: number): TargetState => ({
  provider: target.credential.provider,
  credentialId: target.credential.id,
  credentialName: target.credential.name,
  upstreamModel: target.upstreamModel,
  state: stateOf(target, nowMs),
});
