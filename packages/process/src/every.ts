import type { Logger } from './log';

export interface Repeated {
  /** Resolves when the first run has finished, successfully or not. */
  readonly firstRun: Promise<void>;
  /** Stops the repetition; resolves when a run in progress has finished. */
  stop(): Promise<void>;
}

/** Runs `work` immediately and then again `intervalMs` after each run ends. A failed run is logged, not retried early. */
export function every(intervalMs: number, name: string, log: Logger, work: () => Promise<void>): Repeated {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void>;
  const run = async () => {
    try {
      await work();
    } catch (error) {
      log.warn({ err: error, job: name }, 'job failed');
    }
    if (!stopped) timer = setTimeout(start, intervalMs);
  };
  const start = () => {
    running = run();
  };
  running = run();
  return {
    firstRun: running,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
