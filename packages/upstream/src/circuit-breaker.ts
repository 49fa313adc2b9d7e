import { isForbidden, isOperatorFault, type UpstreamFailure } from './upstream-failure';

/** Consecutive failures after which a target is suspect: it is tried after all others. */
const SUSPECT_AFTER = 5;
/**
 * Failures, and accounts with failures, that count as an outage. Several accounts, because the requests of one client can
 * make a provider fail. Failures to connect do not depend on the request, so SUSPECT_AFTER of them are an outage.
 */
const OUTAGE_FAILURES = 20;
const OUTAGE_ACCOUNTS = 3;
/** The wait before a probe doubles with each failed probe, up to this multiple of the first wait. */
const MAX_WAITS = 6;
/** Maximum `Retry-After` that is respected. */
const MAX_COOL_MS = 60_000;

export type CircuitState = 'closed' | 'cooling' | 'suspect' | 'open' | 'half-open';

/**
 * The circuit of one target or credential.
 * - Closed: calls go there.
 * - Suspect: several calls in a row failed; other targets are tried first.
 * - Open: the target is not called.
 * - Half-open: the wait of a suspect or open target is over, and the next call is a probe that closes the circuit or extends
 *   the wait.
 * - Cooling: the target has answered 429 and is not called for a while.
 */
export class CircuitBreaker {
  #failures = 0;
  #rejections = 0;
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
    if (nowMs < this.#waitsUntilMs) return this.#isOutage ? 'open' : 'suspect';
    if (this.#failures >= SUSPECT_AFTER) return 'half-open';
    return nowMs < this.#coolsUntilMs ? 'cooling' : 'closed';
  }

  /** Returns how long the target is not called because of its rate limit. */
  coolingMs(nowMs: number): number {
    return Math.max(0, this.#coolsUntilMs - nowMs);
  }

  /** Must be called before each call to the target. In half-open state the call becomes the probe, and the circuit opens for others. */
  startCall(nowMs: number): void {
    if (this.state(nowMs) !== 'half-open') return;
    this.#probing = true;
    this.#waitsUntilMs = nowMs + this.#waitMs;
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#rejections = 0;
    this.#unreachable = 0;
    this.#accounts.clear();
    this.#waitMs = this.#firstWaitMs;
    this.#waitsUntilMs = 0;
    this.#probing = false;
  }

  recordFailure(failure: UpstreamFailure, accountId: string, nowMs: number): void {
    if (failure.kind === 'status' && failure.status === 429) {
      const coolMs = (failure.retryAfterSeconds ?? 1) * 1_000;
      this.#coolsUntilMs = nowMs + Math.min(coolMs, MAX_COOL_MS);
      return;
    }
    const before = this.#failures;
    // Only operators can correct such a failure, so another one need not be awaited.
    if (isOperatorFault(failure)) this.#failures = Math.max(before, SUSPECT_AFTER - 1);
    // Never an outage: some providers answer 403 to content that they do not accept.
    if (isForbidden(failure)) this.#failures = Math.max(before, SUSPECT_AFTER);
    else this.#failures++;
    this.#unreachable = failure.kind === 'unreachable' ? this.#unreachable + 1 : 0;
    if (this.#accounts.size < OUTAGE_ACCOUNTS) this.#accounts.add(accountId);
    this.#wait(nowMs, before < SUSPECT_AFTER && this.#failures >= SUSPECT_AFTER);
  }

  /**
   * Records that the provider rejected the credential: it is used only if no other one works. Several rejections in a row are an
   * outage, because requests of clients do not cause them; a single one may be a mistake of the provider.
   */
  recordRejection(nowMs: number): void {
    this.#rejections++;
    this.#failures = Math.max(this.#failures, SUSPECT_AFTER);
    this.#wait(nowMs, this.#rejections === 1);
  }

  /** Failures of calls that began before the wait do not extend it; a failed probe does. */
  #wait(nowMs: number, isFirst: boolean): void {
    if (isFirst) this.#waitsUntilMs = nowMs + this.#waitMs;
    else if (this.#probing) {
      this.#waitMs = Math.min(this.#waitMs * 2, this.#firstWaitMs * MAX_WAITS);
      this.#waitsUntilMs = nowMs + this.#waitMs;
    }
    this.#probing = false;
  }

  /**
   * Records that a reply was cut after it had started. Several in a row make the target suspect, but never open: the start
   * of a reply shows that the target is up, and the request of one client may be the cause.
   */
  recordBrokenReply(nowMs: number): void {
    if (++this.#brokenReplies < SUSPECT_AFTER) return;
    this.#failures = Math.max(this.#failures, SUSPECT_AFTER);
    this.#waitsUntilMs = Math.max(this.#waitsUntilMs, nowMs + this.#firstWaitMs);
  }

  /** Records a complete reply. */
  recordCompleteReply(): void {
    this.#brokenReplies = 0;
  }

  get #isOutage(): boolean {
    return (
      this.#rejections >= SUSPECT_AFTER ||
      this.#unreachable >= SUSPECT_AFTER ||
      (this.#failures >= OUTAGE_FAILURES && this.#accounts.size >= OUTAGE_ACCOUNTS)
    );
  }
}
