export interface Pace {
  /** For what comes before the first byte is taken, and for pauses. */
  readonly graceMs: number;
  /** On the average, beyond that. */
  readonly leastBytesPerSecond: number;
}

export interface PacedBodyOptions {
  readonly body: AsyncIterable<Buffer>;
  readonly pace: Pace;
  /** It is taken too slowly: what feeds it is to end. It throws then, if anybody goes on reading it. */
  readonly onSlow: () => void;
  /** Called once, however it ends, whether or not it was begun. */
  readonly onOver: () => void;
}

/** A body that has to be taken at some pace, so that nobody holds its place for as long as they like. */
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
