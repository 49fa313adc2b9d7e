import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * A request and its reply. Unlike Node's own objects it stops as soon as the caller closes its side, also by a half-close, so
 * that everything written until then is all that the caller will read.
 */
export class Call {
  #stopped = false;
  #wake: (() => void) | undefined;

  constructor(
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
  ) {
    res.once('close', () => this.stop());
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
    this.#wake?.();
  }

  /** Resolves to false as soon as the caller has disconnected. */
  sleep(ms: number): Promise<boolean> {
    if (this.#stopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(resolve), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }

  /** Lets other calls run. Resolves to false if the caller has disconnected. */
  yieldToOthers(): Promise<boolean> {
    if (this.#stopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      setImmediate(() => resolve(!this.#stopped));
    });
  }

  /** To be awaited after a write that returned false. Resolves to false if the caller has disconnected. */
  drained(): Promise<boolean> {
    if (this.#stopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      const onDrain = () => this.#settle(resolve);
      this.res.once('drain', onDrain);
      this.#wake = () => {
        this.res.off('drain', onDrain);
        resolve(false);
      };
    });
  }

  #settle(resolve: (live: boolean) => void): void {
    this.#wake = undefined;
    resolve(true);
  }
}
