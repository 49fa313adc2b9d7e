import { randomUUID } from 'node:crypto';
import { every, type Repeated } from '@gateway/process';
import { busyAccounts } from '../../calls/busy-accounts';
import { Lease } from '../../calls/lease';
import type { BackgroundCall } from '../store/background-calls';
import { type BackgroundDeps, runResponse } from './run-response';

const CLAIM_INTERVAL_MS = 1_000;
/** Before a call that could not be run is tried again. */
const RETRY_SECONDS = 30;
/** Of the calls in this process, so that the calls of an account don't keep out those of others. */
const ACCOUNT_SHARE = 4;

export interface BackgroundRunnerDeps extends BackgroundDeps {
  /** Calls in this process. */
  readonly concurrency: number;
}

interface Running {
  readonly responseId: string;
  readonly accountId: string;
  readonly lease: Lease;
  readonly done: Promise<void>;
}

/** Runs the calls of responses in the background: each is run by one process at a time, and by another one if that is killed. */
export class BackgroundRunner {
  readonly #deps: BackgroundRunnerDeps;
  readonly #running = new Set<Running>();
  readonly #stopping = new AbortController();
  readonly #claims: Repeated;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  #draining = false;

  constructor(deps: BackgroundRunnerDeps) {
    this.#deps = deps;
    this.#claims = every(CLAIM_INTERVAL_MS, 'responses in the background', deps.log, () => this.#claimAll());
  }

  get running(): number {
    return this.#running.size;
  }

  /** There may be calls that this process can run. */
  wake(): void {
    this.#isWoken = true;
    this.#claimAll().catch((err) => this.#deps.log.warn({ err }, 'responses in the background not claimed'));
  }

  /** The response has ended, or is gone: its call is aborted if this process runs it. */
  abort(responseId: string): void {
    for (const run of this.#running) if (run.responseId === responseId) run.lease.lose();
  }

  /** Starts no more calls and lets those in flight end until `late` resolves; their answers are lost then. */
  async stop(late: Promise<unknown>): Promise<void> {
    this.#draining = true;
    await this.#claims.stop();
    await this.#claiming?.catch(() => undefined);
    const done = Promise.all([...this.#running].map((run) => run.done));
    await Promise.race([done, late]);
    this.#stopping.abort();
    await done;
  }

  #claimAll(): Promise<void> {
    this.#claiming ??= this.#claimWhileWoken().finally(() => {
      this.#claiming = undefined;
    });
    return this.#claiming;
  }

  async #claimWhileWoken(): Promise<void> {
    const maxOfAccount = Math.ceil(this.#deps.concurrency / ACCOUNT_SHARE);
    do {
      this.#isWoken = false;
      while (this.#running.size < this.#deps.concurrency && !this.#draining) {
        const runner = randomUUID();
        const call = await this.#deps.background.claim(runner, busyAccounts(this.#running, maxOfAccount));
        if (!call) break;
        this.#start(call, runner);
      }
    } while (this.#isWoken);
  }

  #start(call: BackgroundCall, runner: string): void {
    const { background, log } = this.#deps;
    const { responseId, accountId } = call;
    const lease = new Lease({
      name: 'lease of a response',
      renew: () => background.renew(responseId, runner),
      log,
      stopping: this.#stopping.signal,
    });
    const running: Running = {
      ...{ responseId, accountId, lease },
      done: this.#run(call, runner, lease).finally(() => {
        this.#running.delete(running);
        this.wake();
      }),
    };
    this.#running.add(running);
  }

  async #run(call: BackgroundCall, runner: string, lease: Lease): Promise<void> {
    const { background, log } = this.#deps;
    const { responseId } = call;
    let retrySeconds = 0;
    try {
      await runResponse(this.#deps, { call, runner, lease, isDraining: () => this.#draining });
    } catch (err) {
      if (lease.signal.aborted) return;
      retrySeconds = RETRY_SECONDS;
      log.error({ err, response: responseId }, 'a response could not be made');
    } finally {
      await lease.release();
      await background.giveBack(responseId, runner, retrySeconds).catch(() => undefined);
    }
  }
}
