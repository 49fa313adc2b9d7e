import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type CollectGarbage = (options: { type: 'minor' }) => void;

/** Of large bodies, between two collections. */
const STEP_BYTES = 4 * 1024 * 1024;
/** Smaller pieces are those of small calls, whose garbage is collected in time anyway. */
const LARGE_BYTES = 16 * 1024;

/** Of this process, as its collector is. */
let passedBytes = 0;
let collect: CollectGarbage | undefined;

/**
 * A piece of a body has passed. Each leaves some copies of itself behind, which are dead at once; but V8 lets 64 MB of
 * such buffers gather before it looks for them, and the process keeps that size. So with large bodies it is told to
 * look, which also costs less than ever new memory does.
 */
export function largeGarbage(bytes: number): void {
  if (bytes < LARGE_BYTES) return;
  passedBytes += bytes;
  if (passedBytes < STEP_BYTES) return;
  passedBytes = 0;
  collect ??= findCollector();
  collect({ type: 'minor' });
}

/** V8 shows its collector only to contexts that are made after the flag was set. */
function findCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as CollectGarbage;
}
