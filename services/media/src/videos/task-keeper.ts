import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import type { PoolClient } from '@gateway/postgres';
import type { RequestContext } from '@gateway/rpc';
import type { Tasks } from '../store/tasks';
import type { NewTask, VideoTask } from './rules/video-task';

export interface TaskKeeperDeps {
  readonly tasks: Pick<Tasks, 'insert' | 'find'>;
  /** After the first try that fails. */
  readonly firstWaitMs: number;
}

const MAX_WAIT_MS = 5_000;
/** Some ten minutes: a database that fails over is back by then. */
const MAX_TRIES = 130;

/**
 * Writes down a task that its provider has just accepted. What is not written down can't be asked for, so it is tried
 * for as long as a database may be away; whoever waits for the answer may leave meanwhile.
 */
export class TaskKeeper {
  readonly #deps: TaskKeeperDeps;

  constructor(deps: TaskKeeperDeps) {
    this.#deps = deps;
  }

  /** @throws GatewayError `internal_error` when its bill was given up meanwhile */
  async keep(
    { log }: RequestContext,
    task: NewTask,
    handOver: (client: PoolClient) => Promise<boolean>,
  ): Promise<VideoTask> {
    const { tasks, firstWaitMs } = this.#deps;
    const { provider, upstreamId } = task;
    for (let tries = 1; ; tries++) {
      try {
        // A commit whose answer was lost has handed the bill over as well.
        const kept = (await tasks.insert(task, handOver)) ?? (await tasks.find(task.id));
        if (kept) return kept;
        log.error({ provider, upstreamId }, 'a task was accepted after its bill had been given up');
        throw new GatewayError('internal_error', { cause: new Error('the bill was given up') });
      } catch (error) {
        if (error instanceof GatewayError || tries === MAX_TRIES) throw error;
        log.warn({ err: error, provider, upstreamId }, 'an accepted task is not written down yet');
        await sleep(Math.min(firstWaitMs * 2 ** Math.min(tries - 1, 10), MAX_WAIT_MS));
      }
    }
  }
}
