interface Stoppable {
  stop(): Promise<void>;
  readonly stopTimeoutMs?: number;
}

const DEFAULT_STOP_TIMEOUT_MS = 15_000;

/** Resolves when the service has stopped. @throws Error when stopping exceeds the service's limit */
export async function stopInTime(service: Stoppable): Promise<void> {
  const { stopTimeoutMs = DEFAULT_STOP_TIMEOUT_MS } = service;
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
