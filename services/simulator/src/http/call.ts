import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * One request and its reply, with one thing Node's own objects lack: it stops the moment the caller closes its
 * side, a half-close included, so that whatever was written until then is all the caller will ever read.
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

  /** Resolves to false as soon as the caller has gone. */
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

  /** Lets other calls have their turn. Resolves to false when the caller has gone. */
  yieldToOthers(): Promise<boolean> {
    if (this.#stopped) return Promise.resolve(false);
    return new Promise((resolve) => {
      setImmediate(() => resolve(!this.#stopped));
    });
  }

  /** To await after a write that returned false. Resolves to false when the caller has gone. */
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
