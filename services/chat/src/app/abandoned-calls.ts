import { Quota } from '@gateway/quota';

export interface AbandonedCallsOptions {
  /** An account with this many abandoned calls gets no new calls with hidden usage until some have ended. */
  readonly maxOfAccount: number;
  /** How long a provider may continue after the client has disconnected. */
  readonly timeoutMs: number;
}

/** The provider's side of a call, from dispatch to end. */
export interface ProviderCall {
  /** Aborted to cancel the provider's call. */
  readonly signal: AbortSignal;
  /** Must be called when the call has ended, however it did. */
  end(): void;
}

/**
 * Tracks calls whose clients have disconnected while their providers still work. If only the provider knows what a call
 * used, the gateway keeps reading until the provider reports it; any other call is cancelled immediately. An admitted call
 * is never cancelled here, because that would leave its usage unpaid: an account with many such calls gets no new ones.
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

  /** Whether an account may start another call with hidden usage. */
  admits(accountId: string): boolean {
    return this.#calls.usedBy(accountId) < this.#options.maxOfAccount;
  }

  /** @param caller aborted when the client disconnects */
  begin(caller: AbortSignal, accountId: string, usageIsHidden: boolean): ProviderCall {
    if (!usageIsHidden) return { signal: caller, end() {} };
    const provider = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const onDisconnect = () => {
      this.#calls.acquire(accountId);
      timer = setTimeout(() => provider.abort(caller.reason), this.#options.timeoutMs);
    };
    if (caller.aborted) onDisconnect();
    else caller.addEventListener('abort', onDisconnect, { once: true });
    return {
      signal: provider.signal,
      end: () => {
        caller.removeEventListener('abort', onDisconnect);
        if (!timer) return;
        clearTimeout(timer);
        timer = undefined;
        this.#calls.release(accountId);
      },
    };
  }
}
