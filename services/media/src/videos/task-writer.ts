import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import type { PoolClient } from '@gateway/postgres';
import type { RequestContext } from '@gateway/rpc';
import type { Tasks } from '../store/tasks';
import type { NewTask, VideoTask } from './rules/video-task';

export interface TaskWriterDeps {
  readonly tasks: Pick<Tasks, 'insert' | 'find'>;
  /** Wait after the first failed attempt. */
  readonly firstWaitMs: number;
}

const MAX_WAIT_MS = 5_000;
/** About ten minutes in all: enough for a database failover. */
const MAX_TRIES = 130;

/**
 * Stores a task that its provider has just accepted. A task that is not stored can't be polled, so storing is retried for
 * as long as a database may be unreachable; the client may disconnect meanwhile.
 */
export class TaskWriter {
  readonly #deps: TaskWriterDeps;

  constructor(deps: TaskWriterDeps) {
    this.#deps = deps;
  }

  /** @throws GatewayError `internal_error` when its bill was given up meanwhile */
  async write(
    { log }: RequestContext,
    task: NewTask,
    handOver: (client: PoolClient) => Promise<boolean>,
  ): Promise<VideoTask> {
    const { tasks, firstWaitMs } = this.#deps;
    const { provider, upstreamId } = task;
    for (let tries = 1; ; tries++) {
      try {
        // The commit may have succeeded although its answer was lost.
        const stored = (await tasks.insert(task, handOver)) ?? (await tasks.find(task.id));
        if (stored) return stored;
        log.error({ provider, upstreamId }, 'task accepted after its bill had ended');
        throw new GatewayError('internal_error', { cause: new Error('the bill was given up') });
      } catch (error) {
        if (error instanceof GatewayError || tries === MAX_TRIES) throw error;
        log.warn({ err: error, provider, upstreamId }, 'accepted task not stored yet; retrying');
        await sleep(Math.min(firstWaitMs * 2 ** Math.min(tries - 1, 10), MAX_WAIT_MS));
      }
    }
  }
}
