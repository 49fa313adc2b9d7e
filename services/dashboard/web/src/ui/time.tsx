import { useSyncExternalStore } from 'react';
import classes from './figures.module.css';
import { formatAgo, formatTime, formatUtc } from './format-time';

const TICK_MS = 15_000;

/** A local time, with UTC on hover; `relative`: how long ago. */
export function Time({ at, relative = false }: { at: string | number; relative?: boolean }) {
  return (
    <time className={classes.figure} dateTime={new Date(at).toISOString()} title={formatUtc(at)}>
      {relative ? <Ago at={at} /> : formatTime(at)}
    </time>
  );
}

function Ago({ at }: { at: string | number }) {
  const tick = useSyncExternalStore(subscribe, () => Math.floor(Date.now() / TICK_MS));
  // A time since the last tick must not appear as future.
  return formatAgo(at, Math.max(tick * TICK_MS, Math.min(Date.now(), new Date(at).getTime())));
}

function subscribe(onTick: () => void): () => void {
  const timer = setInterval(onTick, TICK_MS);
  return () => clearInterval(timer);
}
