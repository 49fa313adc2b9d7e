import type { UpstreamFailure } from './upstream-failure';

/** Failures in a row after which a target is tried only when nothing better is left. */
const SUSPECT_AFTER = 5;
/**
 * One caller can make a provider fail, by what it asks for. So many failures in a row, of so many accounts, are
 * taken for an outage; that a provider can't be reached at all is nobody's doing.
 */
const OUTAGE_FAILURES = 20;
const OUTAGE_ACCOUNTS = 3;
/** The wait before a probe doubles with each that fails, up to so many times the first one. */
const MAX_WAITS = 6;
/** A provider that asks for more is asked again all the same. */
const MAX_COOL_MS = 60_000;

export type CircuitState = 'closed' | 'cooling' | 'suspect' | 'open' | 'half-open';

/**
 * What is known of the health of one target. Closed: calls go there. Suspect: it failed several times in a row,
 * and others are tried first. Open: it is out, and not called at all. Half-open: the wait of a suspect or open
 * target is over, and the next call is a probe that decides whether it is closed again or waits longer.
 * Cooling: it has asked to be left alone for a while (429).
 */
export class CircuitBreaker {
  #failures = 0;
  #unreachable = 0;
  readonly #accounts = new Set<string>();
  readonly #firstWaitMs: number;
  #waitMs: number;
  #waitsUntilMs = 0;
  #probing = false;
  #coolsUntilMs = 0;
  #brokenReplies = 0;

  constructor(firstWaitMs: number) {
    this.#firstWaitMs = firstWaitMs;
    this.#waitMs = firstWaitMs;
  }

  state(nowMs: number): CircuitState {
    if (nowMs < this.#waitsUntilMs) return this.#isOut ? 'open' : 'suspect';
    if (this.#failures >= SUSPECT_AFTER) return 'half-open';
    return nowMs < this.#coolsUntilMs ? 'cooling' : 'closed';
  }

  /** A call goes there. After a wait the first one is the probe, and others wait for what it finds. */
  begin(nowMs: number): void {
    if (this.state(nowMs) !== 'half-open') return;
    this.#probing = true;
    this.#waitsUntilMs = nowMs + this.#waitMs;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#unreachable = 0;
    this.#accounts.clear();
    this.#waitMs = this.#firstWaitMs;
    this.#waitsUntilMs = 0;
    this.#probing = false;
  }

  failed(failure: UpstreamFailure, accountId: string, nowMs: number): void {
    if (failure.kind === 'status' && failure.status === 429) {
      const coolMs = (failure.retryAfterSeconds ?? 1) * 1_000;
      this.#coolsUntilMs = nowMs + Math.min(coolMs, MAX_COOL_MS);
      return;
    }
    this.#failures++;
    this.#unreachable = failure.kind === 'unreachable' ? this.#unreachable + 1 : 0;
    if (this.#accounts.size < OUTAGE_ACCOUNTS) this.#accounts.add(accountId);
    // Failures of calls that began before the wait do not make it longer; a failed probe does.
    if (this.#failures === SUSPECT_AFTER) this.#waitsUntilMs = nowMs + this.#waitMs;
    else if (this.#probing) {
      this.#probing = false;
      this.#waitMs = Math.min(this.#waitMs * 2, this.#firstWaitMs * MAX_WAITS);
      this.#waitsUntilMs = nowMs + this.#waitMs;
    }
  }

  /**
   * A reply that had begun broke off. After several in a row others are tried first; that is all, for how a reply
   * begins decides whether a target is there, and what one caller asks for may be what breaks it.
   */
  broke(nowMs: number): void {
    if (++this.#brokenReplies < SUSPECT_AFTER) return;
    this.#failures = Math.max(this.#failures, SUSPECT_AFTER);
    this.#waitsUntilMs = Math.max(this.#waitsUntilMs, nowMs + this.#firstWaitMs);
  }

  /** A reply came whole. */
  ended(): void {
    this.#brokenReplies = 0;
  }

  get #isOut(): boolean {
    return (
      this.#unreachable >= SUSPECT_AFTER ||
      (this.#failures >= OUTAGE_FAILURES && this.#accounts.size >= OUTAGE_ACCOUNTS)
    );
  }
}
