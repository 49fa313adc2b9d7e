export interface Pace {
  /** Allowed time before the first byte is read, and for pauses. */
  readonly graceMs: number;
  /** Minimum average rate after that. */
  readonly leastBytesPerSecond: number;
}

export interface PacedBodyOptions {
  readonly body: AsyncIterable<Buffer>;
  readonly pace: Pace;
  /** Called when the body is read too slowly: its source should end. Further reads throw. */
  readonly onSlow: () => void;
  /** Called once, however it ends, even if it was never read. */
  readonly onOver: () => void;
}

/** A body with a minimum reading rate, so that a slow reader does not occupy resources indefinitely. */
export function pacedBody({ body, pace, onSlow, onOver }: PacedBodyOptions): AsyncIterable<Buffer> {
  const startMs = performance.now();
  let bytes = 0;
  let isSlow = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    const dueMs = startMs + pace.graceMs + (bytes / pace.leastBytesPerSecond) * 1_000;
    timer = setTimeout(giveUp, Math.max(0, dueMs - performance.now())).unref();
  };
  const giveUp = () => {
    isSlow = true;
    onSlow();
    onOver();
  };
  wait();
  return (async function* () {
    try {
      for await (const piece of body) {
        if (isSlow) throw new Error('a body was taken too slowly');
        yield piece;
        if (isSlow) throw new Error('a body was taken too slowly');
        clearTimeout(timer);
        bytes += piece.length;
        wait();
      }
    } finally {
      clearTimeout(timer);
      if (!isSlow) onOver();
    }
  })();
}
