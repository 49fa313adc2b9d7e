interface Stoppable {
  stop(): Promise<void>;
  readonly stopTimeoutMs?: number;
}

/** For a service without a drain of its own. */
const USUAL_STOP_TIMEOUT_MS = 15_000;

/** Resolves when the service has ended. @throws Error when that takes longer than it says that it may */
export async function stopInTime(service: Stoppable): Promise<void> {
  const { stopTimeoutMs = USUAL_STOP_TIMEOUT_MS } = service;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`stop took longer than ${stopTimeoutMs} ms`)), stopTimeoutMs);
  });
  try {
    await Promise.race([service.stop(), late]);
  } finally {
    clearTimeout(timer);
  }
}
