import { GatewayError } from '@gateway/errors';

export interface ProgressLimits {
  /** For the whole body. */
  readonly timeoutMs: number;
  /** A body that brings less than 1 KiB per second of such a time is given up. */
  readonly progressMs: number;
}

export const MIN_BYTES_PER_SECOND = 1024;

/** Calls `fail` when the time is over, or when too little came since the last look. Returns what ends that. */
export function watchProgress(
  { timeoutMs, progressMs }: ProgressLimits,
  heldBytes: () => number,
  fail: (error: GatewayError) => void,
): () => void {
  const endMs = performance.now() + timeoutMs;
  const minBytes = (progressMs / 1_000) * MIN_BYTES_PER_SECOND;
  let seenBytes = 0;
  const look = () => {
    const leftMs = endMs - performance.now();
    // A timer may fire a fraction early.
    if (leftMs < 1 || heldBytes() - seenBytes < minBytes) {
      fail(new GatewayError('invalid_request', { detail: 'the body did not arrive in time' }));
      return;
    }
    seenBytes = heldBytes();
    timer = setTimeout(look, Math.min(progressMs, leftMs));
  };
  let timer = setTimeout(look, Math.min(progressMs, timeoutMs));
  return () => clearTimeout(timer);
}
