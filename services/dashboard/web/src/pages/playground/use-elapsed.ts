import { useEffect, useState } from 'react';

const TICK_MS = 1_000;

/** Returns the whole seconds since `startedMs`, while it is defined. */
export function useElapsed(startedMs: number | undefined): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (startedMs === undefined) return;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [startedMs]);
  return startedMs === undefined ? 0 : Math.max(0, Math.floor((nowMs - startedMs) / 1_000));
}
