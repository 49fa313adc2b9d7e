import { Quota } from '@gateway/quota';

export interface AbandonedCallsOptions {
  /** From then on new calls of an account whose usage is hidden are refused until some have ended. */
  readonly maxOfAccount: number;
  /** How long a provider may go on without its caller. */
  readonly timeoutMs: number;
}

/** A call from its dispatch to its end. */
export interface ProviderCall {
  /** Aborted when the provider's call is to be cancelled. */
  readonly signal: AbortSignal;
  /** To be called when it has ended, whichever way. */
  end(): void;
}

/**
 * The calls whose callers have disconnected while their providers still work. Where only the provider can tell what a
 * call used, it is listened to until it does; any other call is cancelled at once. A call that was admitted is always
 * listened to: to cancel it would leave what it used unpaid. What bounds their number is that an account which has many
 * gets no new ones.
 */
export class AbandonedCalls {
  readonly #options: AbandonedCallsOptions;
  /** Unlimited: an admitted call is never refused here. */
  readonly #calls = new Quota({ limit: Number.POSITIVE_INFINITY });

  constructor(options: AbandonedCallsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#calls.used;
  }

  /** Whether an account may begin another call whose usage is hidden. */
  admits(accountId: string): boolean {
    return this.#calls.usedBy(accountId) < this.#options.maxOfAccount;
  }

  /** @param caller aborted when the caller disconnects */
  begin(caller: AbortSignal, accountId: string, usageIsHidden: boolean): ProviderCall {
    if (!usageIsHidden) return { signal: caller, end() {} };
    const provider = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const listen = () => {
      this.#calls.acquire(accountId);
      timer = setTimeout(() => provider.abort(caller.reason), this.#options.timeoutMs);
    };
    if (caller.aborted) listen();
    else caller.addEventListener('abort', listen, { once: true });
    return {
      signal: provider.signal,
      end: () => {
        caller.removeEventListener('abort', listen);
        if (!timer) return;
        clearTimeout(timer);
        timer = undefined;
        this.#calls.release(accountId);
      },
    };
  }
}
