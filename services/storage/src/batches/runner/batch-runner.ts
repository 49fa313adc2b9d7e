import { randomUUID } from 'node:crypto';
import { every, type Repeated } from '@gateway/process';
import { busyAccounts } from '../../calls/busy-accounts';
import { Lease } from '../../calls/lease';
import type { Batch } from '../rules/batch';
import { type BatchDeps, runBatch } from './run-batch';

const CLAIM_INTERVAL_MS = 1_000;
/** In one process, and of one account in it: one account can't occupy all. */
const MAX_RUNNING = 32;
const MAX_RUNNING_OF_ACCOUNT = 2;
/** Before a batch that could not be run is tried again. */
const RETRY_SECONDS = 30;

/** Runs batches: each is run by one process at a time, and by another one if that is killed. */
export class BatchRunner {
  readonly #deps: BatchDeps;
  readonly #running = new Map<Batch, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #claims: Repeated;
  #draining = false;

  constructor(deps: BatchDeps) {
    this.#deps = deps;
    this.#claims = every(CLAIM_INTERVAL_MS, 'batches', deps.log, () => this.#claimAll());
  }

  /** Starts no more calls and lets those in flight end until `late` resolves; their answers are lost then. */
  async stop(late: Promise<unknown>): Promise<void> {
    this.#draining = true;
    await this.#claims.stop();
    await Promise.race([Promise.all(this.#running.values()), late]);
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  async #claimAll(): Promise<void> {
    while (this.#running.size < MAX_RUNNING && !this.#draining) {
      const runner = randomUUID();
      const batch = await this.#deps.batches.claim(
        runner,
        busyAccounts(this.#running.keys(), MAX_RUNNING_OF_ACCOUNT),
      );
      if (!batch) return;
      const run = this.#run(batch, runner).finally(() => this.#running.delete(batch));
      this.#running.set(batch, run);
    }
  }

  async #run(batch: Batch, runner: string): Promise<void> {
    const { batches, log } = this.#deps;
    let isCancelling = batch.cancellingAt !== null;
    const lease = new Lease({
      name: 'lease of a batch',
      log,
      stopping: this.#stopping.signal,
      renew: async () => {
        const renewed = await batches.renew(batch.id, runner);
        isCancelling ||= renewed?.isCancelling ?? false;
        return renewed !== undefined;
      },
    });
    const { signal } = lease;
    let retrySeconds = 0;
    try {
      await runBatch(this.#deps, {
        batch,
        runner,
        signal,
        isCancelling: () => isCancelling,
        isDraining: () => this.#draining,
      });
    } catch (err) {
      if (signal.aborted) return;
      retrySeconds = RETRY_SECONDS;
      log.error({ err, batch: batch.id }, 'a batch could not be run');
      this.#deps.metrics.runFailed();
    } finally {
      await lease.release();
      await batches.giveBack(batch.id, runner, retrySeconds).catch(() => undefined);
    }
  }
}
