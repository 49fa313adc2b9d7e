import { Busy, type Room, type TakenBy } from './busy';

/** One account's files may take one of so many parts. */
export const SHARES = 4;

export interface SpoolBudgetOptions {
  readonly room: Room;
  readonly maxBytes: number;
  /** Who shares them. */
  readonly sharedBy?: Exclude<TakenBy, 'all'>;
  /** Of one of those; absent: its part of them. */
  readonly maxShareBytes?: number;
}

/**
 * A bound on the bytes that all calls together, and those of one account, take: of files on the disk, or of answers in
 * memory; or on the places that they have.
 */
export class SpoolBudget {
  readonly #options: Required<SpoolBudgetOptions>;
  readonly #shares = new Map<string, number>();
  #usedBytes = 0;

  constructor(options: SpoolBudgetOptions) {
    this.#options = { sharedBy: 'account', maxShareBytes: options.maxBytes / SHARES, ...options };
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** @throws Busy with nothing taken */
  take(sharer: string, bytes: number): void {
    const { room, maxBytes, sharedBy, maxShareBytes } = this.#options;
    const shareBytes = (this.#shares.get(sharer) ?? 0) + bytes;
    if (shareBytes > maxShareBytes) throw new Busy(room, sharedBy);
    if (this.#usedBytes + bytes > maxBytes) throw new Busy(room, 'all');
    this.#usedBytes += bytes;
    this.#shares.set(sharer, shareBytes);
  }

  give(sharer: string, bytes: number): void {
    this.#usedBytes -= bytes;
    const left = (this.#shares.get(sharer) ?? 0) - bytes;
    if (left > 0) this.#shares.set(sharer, left);
    else this.#shares.delete(sharer);
  }
}

/** What is wanted of a budget, and for whom. */
export type Wanted = readonly [budget: SpoolBudget, sharer: string, bytes: number];

/** All of it. @throws Busy with nothing taken */
export function takeAll(wanted: readonly Wanted[]): void {
  const taken: Wanted[] = [];
  try {
    for (const one of wanted) {
      const [budget, sharer, bytes] = one;
      budget.take(sharer, bytes);
      taken.push(one);
    }
  } catch (error) {
    giveAll(taken);
    throw error;
  }
}

export function giveAll(taken: readonly Wanted[]): void {
  for (const [budget, sharer, bytes] of taken) budget.give(sharer, bytes);
}
