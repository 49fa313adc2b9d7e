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
 * look, which also costs less than ever new memory does: while eight uploads of 40 MB pass, edge and media grow by some
 * 50 MB together instead of some 150, and the uploads take half the time.
 *
 * There is no other way to ask for this small a collection: the inspector's is of the whole heap, and what frees a
 * buffer by hand (a transfer to nowhere) is not safe while a socket or HTTP/2 may still read it.
 */
export function collectLargeBuffers(bytes: number): void {
  if (bytes < LARGE_BYTES) return;
  passedBytes += bytes;
  if (passedBytes < STEP_BYTES) return;
  passedBytes = 0;
  collect ??= findCollector();
  collect({ type: 'minor' });
}

/**
 * V8 shows its collector only to contexts that are made after the flag was set. The flag does nothing else, so that it may
 * be set in a running process; in each command line it would be forgotten somewhere, and nothing but memory would tell.
 * Where there is none to be had, the process grows: no call fails for that.
 */
function findCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('globalThis.gc');
  return typeof found === 'function' ? (found as CollectGarbage) : () => {};
}
