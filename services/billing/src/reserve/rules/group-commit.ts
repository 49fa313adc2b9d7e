import { GatewayError } from '@gateway/errors';

export interface GroupCommitOptions<Item, Result> {
  /** Processes the items in one transaction and returns their results in order. */
  run(items: readonly Item[]): Promise<Result[]>;
  /** Items of one account never run in two concurrent batches: the second would wait for the lock of the first. */
  accountOf(item: Item): string;
  /** Whether a retry may succeed; other failures may be caused by a single item. */
  isTransient(error: unknown): boolean;
  /** Whether a batch with such a failure is retried here; otherwise `run` has done so. */
  readonly repeatTransient: boolean;
  readonly maxBatch: number;
  /** Items that may wait. An account may have as many as it leaves to the others. */
  readonly maxWaiting: number;
  readonly workers: number;
  /** Every item is answered within this time, with `internal_error` if necessary. */
  readonly deadlineMs: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  over: boolean;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Processes the items that wait at one moment in one transaction, because a commit costs far more than a row. Accounts
 * take turns, so that a busy account does not delay the others.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  readonly #queues = new Map<string, Waiting<Item, Result>[]>();
  readonly #busy = new Set<string>();
  #waiting = 0;
  #running = 0;
  #scheduled = false;
  #onIdle: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  submit(item: Item): Promise<Result> {
    const { accountOf, maxWaiting, deadlineMs } = this.#options;
    const own = this.#queues.get(accountOf(item))?.length ?? 0;
    if (own >= maxWaiting - this.#waiting) return Promise.reject(failure(new Error('too many items wait')));
    return new Promise((resolve, reject) => {
      const finish =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          if (waiting.over) return;
          waiting.over = true;
          clearTimeout(timer);
          settle(value);
        };
      const waiting: Waiting<Item, Result> = {
        item,
        over: false,
        resolve: finish(resolve),
        reject: finish(reject),
      };
      const timer = setTimeout(() => waiting.reject(failure(new Error('deadline passed'))), deadlineMs);
      this.#enqueue(waiting);
    });
  }

  /** Resolves when no item waits or runs. */
  idle(): Promise<void> {
    if (this.#waiting === 0 && this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #enqueue(waiting: Waiting<Item, Result>): void {
    const account = this.#options.accountOf(waiting.item);
    const queue = this.#queues.get(account);
    if (queue) queue.push(waiting);
    else this.#queues.set(account, [waiting]);
    this.#waiting++;
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Items of the same turn of the event loop go into one batch.
    setImmediate(() => {
      this.#scheduled = false;
      this.#startWorkers();
    });
  }

  #startWorkers(): void {
    while (this.#running < this.#options.workers) {
      const { batch, accounts } = this.#take();
      if (batch.length === 0) break;
      this.#running++;
      for (const account of accounts) this.#busy.add(account);
      void this.#runBatch(batch).finally(() => {
        this.#running--;
        for (const account of accounts) this.#busy.delete(account);
        this.#startWorkers();
      });
    }
    if (this.#waiting > 0 || this.#running > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Takes one item of each idle account, then a second of each, until the batch is full. */
  #take(): { batch: Waiting<Item, Result>[]; accounts: Set<string> } {
    const batch: Waiting<Item, Result>[] = [];
    const accounts = new Set<string>();
    for (let took = true; took && batch.length < this.#options.maxBatch; ) {
      took = false;
      for (const [account, queue] of this.#queues) {
        if (this.#busy.has(account)) continue;
        if (batch.length === this.#options.maxBatch) break;
        const waiting = queue.shift()!;
        this.#waiting--;
        took = true;
        accounts.add(account);
        if (queue.length === 0) this.#queues.delete(account);
        if (!waiting.over) batch.push(waiting);
      }
    }
    // Accounts that have been served queue behind those that have not.
    for (const account of accounts) {
      const queue = this.#queues.get(account);
      if (queue && this.#queues.delete(account)) this.#queues.set(account, queue);
    }
    return { batch, accounts };
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const error = await this.#attempt(batch);
    if (error === undefined) return;
    if (this.#options.isTransient(error)) {
      const again = this.#options.repeatTransient ? await this.#attempt(batch) : error;
      if (again !== undefined) for (const waiting of batch) waiting.reject(failure(again));
      return;
    }
    // An item that the database rejects must not fail the others.
    for (const waiting of batch) {
      const own = batch.length === 1 ? error : await this.#attempt([waiting]);
      if (own !== undefined) waiting.reject(failure(own));
    }
  }

  /** Resolves the items; returns the error if none could be resolved. */
  async #attempt(batch: readonly Waiting<Item, Result>[]): Promise<unknown> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('a batch was not answered in full');
      for (const [i, waiting] of batch.entries()) waiting.resolve(results[i]!);
      return undefined;
    } catch (error) {
      return error ?? new Error('a batch failed');
    }
  }
}

const failure = (cause: unknown) => new GatewayError('internal_error', { cause });
