import { type UsageConsumerOptions, UsageSession } from './usage-session';

const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 1_000;
/** After a session of this length the next one starts without a pause. */
const GOOD_SESSION_MS = 30_000;

/** Consumes usage events, in one session after another, until it is closed. */
export class UsageConsumer {
  readonly #options: UsageConsumerOptions;
  #stopping = false;
  #session: UsageSession | undefined;
  #wake: (() => void) | undefined;
  readonly #finished: Promise<void>;

  constructor(options: UsageConsumerOptions) {
    this.#options = options;
    this.#finished = this.#runSessions();
  }

  /** Finishes the batches in progress and leaves the group. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#session?.end('stopping');
    this.#wake?.();
    await this.#finished;
  }

  async #runSessions(): Promise<void> {
    let hasJoined = false;
    for (let failures = 0; !this.#stopping; ) {
      const startedAtMs = performance.now();
      const session = new UsageSession(this.#options, !hasJoined);
      this.#session = session;
      const reason = await session.run();
      hasJoined ||= session.hasJoined;
      if (this.#stopping) return;
      failures = performance.now() - startedAtMs > GOOD_SESSION_MS ? 0 : failures + 1;
      const pauseMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** failures);
      this.#options.log.warn({ reason, pauseMs }, 'usage consumer ended');
      await this.#pause(pauseMs);
    }
  }

  #pause(pauseMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stopping) this.#wake();
    });
  }
}
