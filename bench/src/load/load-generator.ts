import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { GeneratorMessage, LoadJob, LoadResult } from './load-contract';

/** Time allowed in addition to the duration of a job, for slow machines. */
const GRACE_MS = 60_000;

/** The process that generates the load. */
export class LoadGenerator {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(join(__dirname, 'generator.js'), { execArgv: [] });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async run(job: LoadJob): Promise<LoadResult> {
    const { load } = job;
    const durationMs = load.kind === 'streams' ? load.chunks * load.chunkDelayMs : load.durationMs;
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(durationMs + GRACE_MS)]);
    const ended = once(this.#child, 'exit', { signal }).then(() => {
      throw new Error('the load generator exited');
    });
    const answered = once(this.#child, 'message', { signal });
    this.#child.send(job);
    try {
      const [message] = await Promise.race([answered, ended]);
      return resultOf(message);
    } finally {
      // Removes the listeners; the rejection of the pending promise is not a failure.
      for (const wait of [answered, ended]) wait.catch(() => {});
      over.abort();
    }
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

function resultOf(message: GeneratorMessage): LoadResult {
  if ('failure' in message) throw new Error(message.failure);
  return message.result;
}
