import { Servers } from './servers';
import type { Simulation } from './simulation';

/** Concurrent transactions of each kind per billing instance. */
const WORKERS = 2;

export interface Batch {
  readonly cell: number;
  readonly calls: readonly number[];
  /** In the order in which they are locked. */
  readonly accounts: Int32Array;
  locked: number;
  readonly workS: number;
  onCommitted(): void;
}

/** PostgreSQL of all cells. A transaction locks its accounts one by one, works on one core, and commits. */
export class Databases {
  readonly cores: Servers;
  commits = 0;
  readonly #locks = new Map<number, Batch[]>();
  readonly #batches: Batch[] = [];
  readonly #freeIds: number[] = [];
  readonly #committed: number;

  constructor(
    readonly simulation: Simulation,
    cells: number,
    readonly coresPerCell: number,
    readonly commitS: number,
  ) {
    this.cores = new Servers(cells * coresPerCell);
    this.#committed = simulation.on((id) => this.#commit(id));
  }

  execute(batch: Batch): void {
    const { accounts } = batch;
    for (; batch.locked < accounts.length; batch.locked++) {
      const account = accounts[batch.locked]!;
      const waiting = this.#locks.get(account);
      if (waiting) {
        waiting.push(batch);
        return;
      }
      this.#locks.set(account, []);
    }
    const { simulation, cores, coresPerCell, commitS } = this;
    const id = this.#freeIds.pop() ?? this.#batches.length;
    this.#batches[id] = batch;
    const first = batch.cell * coresPerCell;
    const doneAt = cores.serveByFirstFree(first, coresPerCell, simulation.now, batch.workS);
    simulation.at(doneAt + commitS, this.#committed, id);
  }

  #commit(id: number): void {
    const batch = this.#batches[id]!;
    this.#freeIds.push(id);
    this.commits++;
    for (const account of batch.accounts) {
      const next = this.#locks.get(account)!.shift();
      if (!next) {
        this.#locks.delete(account);
        continue;
      }
      // The lock is handed over.
      next.locked++;
      this.execute(next);
    }
    batch.onCommitted();
  }
}

export interface GroupCommitQueueOptions {
  readonly databases: Databases;
  readonly cell: number;
  readonly maxBatch: number;
  /** PostgreSQL's work per call. */
  readonly workS: number;
  onDone(calls: readonly number[]): void;
}

/** Group commit as in billing: accounts take turns, and two batches of an instance never have an account in common. */
export class GroupCommitQueue {
  readonly #options: GroupCommitQueueOptions;
  readonly #waiting = new Map<number, number[]>();
  readonly #busy = new Set<number>();
  #running = 0;

  constructor(options: GroupCommitQueueOptions) {
    this.#options = options;
  }

  submit(call: number, account: number): void {
    const queue = this.#waiting.get(account);
    if (queue) queue.push(call);
    else this.#waiting.set(account, [call]);
    this.#start();
  }

  #start(): void {
    const { databases, cell, workS, onDone } = this.#options;
    while (this.#running < WORKERS) {
      const { calls, accounts } = this.#take();
      if (calls.length === 0) return;
      this.#running++;
      const onCommitted = () => {
        this.#running--;
        for (const account of accounts) this.#busy.delete(account);
        onDone(calls);
        this.#start();
      };
      databases.execute({ cell, calls, accounts, locked: 0, workS: calls.length * workS, onCommitted });
    }
  }

  #take(): { calls: number[]; accounts: Int32Array } {
    const calls: number[] = [];
    const accounts = new Set<number>();
    for (let took = true; took && calls.length < this.#options.maxBatch; ) {
      took = false;
      for (const [account, queue] of this.#waiting) {
        if (this.#busy.has(account)) continue;
        if (calls.length === this.#options.maxBatch) break;
        calls.push(queue.shift()!);
        took = true;
        accounts.add(account);
        if (queue.length === 0) this.#waiting.delete(account);
      }
    }
    for (const account of accounts) {
      this.#busy.add(account);
      const queue = this.#waiting.get(account);
      if (queue && this.#waiting.delete(account)) this.#waiting.set(account, queue);
    }
    return { calls, accounts: Int32Array.from(accounts).sort() };
  }
}
