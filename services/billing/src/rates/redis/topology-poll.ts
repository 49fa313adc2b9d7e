/** A failover is noticed within this time. */
const INTERVAL_MS = 1_000;
/** After a sign that the topology has changed. */
const HURRIED_MS = 100;

export interface TopologyPoll {
  /** Looks again soon. */
  hurry(): void;
  /** Resolves when a look in progress has ended. */
  stop(): Promise<void>;
}

/** Calls `look`, which must not reject, until it is stopped. */
export function startTopologyPoll(look: () => Promise<void>): TopologyPoll {
  let timer: NodeJS.Timeout | undefined;
  let isHurried = false;
  let isStopped = false;
  let running: Promise<void> | undefined;
  const schedule = () => {
    if (isStopped) return;
    timer = setTimeout(run, isHurried ? HURRIED_MS : INTERVAL_MS);
    isHurried = false;
  };
  const run = () => {
    timer = undefined;
    running = look().finally(() => {
      running = undefined;
      schedule();
    });
  };
  run();
  return {
    hurry() {
      if (isHurried || isStopped) return;
      isHurried = true;
      if (!timer) return;
      clearTimeout(timer);
      schedule();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Rejects when the work takes longer than a poll may. */
export async function withinPoll<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${INTERVAL_MS} ms`)), INTERVAL_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
