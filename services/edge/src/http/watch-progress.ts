import { GatewayError } from '@gateway/errors';

export interface ProgressLimits {
  /** Timeout of the whole body. */
  readonly timeoutMs: number;
  /** Interval in which at least 1 KiB per second must arrive. */
  readonly progressMs: number;
}

export const MIN_BYTES_PER_SECOND = 1024;

/** Calls `fail` at the timeout, or when too few bytes have arrived in an interval. Returns a function that stops the timer. */
export function watchProgress(
  { timeoutMs, progressMs }: ProgressLimits,
  receivedBytes: () => number,
  fail: (error: GatewayError) => void,
): () => void {
  const endMs = performance.now() + timeoutMs;
  const minBytes = (progressMs / 1_000) * MIN_BYTES_PER_SECOND;
  let previousBytes = 0;
  const check = () => {
    const leftMs = endMs - performance.now();
    // A timer may fire slightly early.
    if (leftMs < 1 || receivedBytes() - previousBytes < minBytes) {
      fail(new GatewayError('invalid_request', { detail: 'the body did not arrive in time' }));
      return;
    }
    previousBytes = receivedBytes();
    timer = setTimeout(check, Math.min(progressMs, leftMs));
  };
  let timer = setTimeout(check, Math.min(progressMs, timeoutMs));
  return () => clearTimeout(timer);
}
