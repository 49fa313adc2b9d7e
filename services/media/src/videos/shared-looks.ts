import { Busy } from '../domain/busy';

export interface SharedLooksOptions<T> {
  /** Of one provider at a time. */
  readonly maxLooks: number;
  /** Of them for one account, so that it can't take a provider's looks from all others. */
  readonly maxAccountLooks: number;
  /** For how long this answer is given again, without another look. */
  keepMs(answer: T): number;
  readonly nowMs: () => number;
}

interface Look<T> {
  readonly answer: Promise<T>;
  /** Never, while it is under way. */
  staleAtMs: number;
}

/** What is looked at, and for whom. */
export interface LookedAt {
  readonly provider: string;
  readonly accountId: string;
  readonly id: string;
}

/** So many answers are kept that looking for old ones among them is nobody's wait. */
const MAX_KEPT = 1_000;

/** One look at a thing at a time, shared by all who ask for it meanwhile and shortly after; failures are not kept. */
export class SharedLooks<T> {
  readonly #options: SharedLooksOptions<T>;
  /** The oldest first. */
  readonly #looks = new Map<string, Look<T>>();
  readonly #underWay = new Map<string, number>();
  readonly #ofAccounts = new Map<string, number>();

  constructor(options: SharedLooksOptions<T>) {
    this.#options = options;
  }

  /**
   * @param look must end by itself: nobody's leaving ends it
   * @throws Busy beyond what one provider is asked at a time, or for one account; what the look threw
   */
  async at({ provider, accountId, id }: LookedAt, look: () => Promise<T>): Promise<T> {
    const known = this.#looks.get(id);
    if (known && this.#options.nowMs() < known.staleAtMs) return known.answer;
    const { maxLooks, maxAccountLooks } = this.#options;
    const account = `${provider} ${accountId}`;
    if ((this.#ofAccounts.get(account) ?? 0) >= maxAccountLooks) throw new Busy('results', 'account');
    if ((this.#underWay.get(provider) ?? 0) >= maxLooks) throw new Busy('results', 'all');
    count(this.#underWay, provider, 1);
    count(this.#ofAccounts, account, 1);
    const started: Look<T> = { answer: look(), staleAtMs: Number.POSITIVE_INFINITY };
    this.#looks.delete(id);
    this.#looks.set(id, started);
    this.#forget();
    try {
      const answer = await started.answer;
      started.staleAtMs = this.#options.nowMs() + this.#options.keepMs(answer);
      return answer;
    } catch (error) {
      this.#looks.delete(id);
      throw error;
    } finally {
      count(this.#underWay, provider, -1);
      count(this.#ofAccounts, account, -1);
    }
  }

  /** Stale ones, as far as they are the oldest, and the oldest of too many. */
  #forget(): void {
    const nowMs = this.#options.nowMs();
    for (const [id, { staleAtMs }] of this.#looks) {
      if (nowMs < staleAtMs && this.#looks.size <= MAX_KEPT) return;
      if (staleAtMs !== Number.POSITIVE_INFINITY) this.#looks.delete(id);
    }
  }
}

function count(counts: Map<string, number>, of: string, change: number): void {
  const now = (counts.get(of) ?? 0) + change;
  if (now === 0) counts.delete(of);
  else counts.set(of, now);
}
