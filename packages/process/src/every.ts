import type { Logger } from './log';

export interface Repeated {
  /** Resolves when the first run is over, well or not. */
  readonly firstRun: Promise<void>;
  /** Ends the repetition; resolves when a run under way is over. */
  stop(): Promise<void>;
}

/** Runs `work` at once and then with a pause of `intervalMs` after each run. A failure waits for the next. */
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
