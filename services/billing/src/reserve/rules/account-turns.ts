import { GatewayError } from '@gateway/errors';

export interface AccountTurnsOptions {
  readonly atOnce: number;
  /** Of them. Less than all, so that there is room for others whatever one account asks. */
  readonly atOnceOfAccount: number;
  readonly maxWaiting: number;
  readonly maxWaitingOfAccount: number;
  readonly waitMs: number;
  /** What there are too many of, for the refusal: `lists and sums`. */
  readonly of: string;
}

interface Waiting {
  readonly accountId: string;
  begin(): void;
}

/** Lets what takes long, or waits for others of its account, be done a few at a time, first come, first served as far as the account's share goes. */
export class AccountTurns {
  readonly #options: AccountTurnsOptions;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #atOnce = 0;

  constructor(options: AccountTurnsOptions) {
    this.#options = options;
  }

  /** Throws `rate_limited` when too many wait, or it waits too long. */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(accountId)) this.#begin(accountId);
    else await this.#wait(accountId);
    try {
      return await work();
    } finally {
      this.#end(accountId);
    }
  }

  #hasRoom(accountId: string): boolean {
    const { atOnce, atOnceOfAccount } = this.#options;
    return this.#atOnce < atOnce && (this.#running.get(accountId) ?? 0) < atOnceOfAccount;
  }

  #begin(accountId: string): void {
    this.#atOnce++;
    this.#running.set(accountId, (this.#running.get(accountId) ?? 0) + 1);
  }

  #end(accountId: string): void {
    this.#atOnce--;
    const left = (this.#running.get(accountId) ?? 0) - 1;
    if (left > 0) this.#running.set(accountId, left);
    else this.#running.delete(accountId);
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting.accountId)) continue;
      // The place is taken here, so that a newcomer can't have it.
      this.#begin(waiting.accountId);
      waiting.begin();
      return;
    }
  }

  #wait(accountId: string): Promise<void> {
    const { maxWaiting, maxWaitingOfAccount, waitMs } = this.#options;
    const ofAccount = [...this.#waiting].filter((waiting) => waiting.accountId === accountId).length;
    if (this.#waiting.size >= maxWaiting || ofAccount >= maxWaitingOfAccount) throw this.#tooMany();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        accountId,
        begin: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(this.#tooMany());
      }, waitMs);
      this.#waiting.add(waiting);
    });
  }

  #tooMany(): GatewayError {
    const detail = `too many ${this.#options.of} at once`;
    return new GatewayError('rate_limited', { detail, retryAfterSeconds: 1 });
  }
}
