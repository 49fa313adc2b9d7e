/** The longest lifetime of prompt caches that providers offer. */
const MAX_IDLE_MS = 60 * 60 * 1_000;
const MAX_PINS = 50_000;

interface Pin {
  readonly route: string;
  usedAtMs: number;
}

/** Which route served the last call of a session: the one whose provider has the prompt in its cache. */
export class SessionPins {
  /** The least recently used first. */
  readonly #pins = new Map<string, Pin>();
  readonly #nowMs: () => number;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Returns the name of the route; undefined if there is none or it has not been used for an hour. */
  get(session: string): string | undefined {
    const pin = this.#pins.get(session);
    if (!pin) return undefined;
    const nowMs = this.#nowMs();
    this.#pins.delete(session);
    if (nowMs - pin.usedAtMs > MAX_IDLE_MS) return undefined;
    pin.usedAtMs = nowMs;
    this.#pins.set(session, pin);
    return pin.route;
  }

  set(session: string, route: string): void {
    this.#pins.delete(session);
    this.#pins.set(session, { route, usedAtMs: this.#nowMs() });
    if (this.#pins.size <= MAX_PINS) return;
    const [oldest] = this.#pins.keys();
    if (oldest !== undefined) this.#pins.delete(oldest);
  }
}
