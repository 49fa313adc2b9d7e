import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 1_000;

/**
 * Stores the answer to a call. It has been paid for, so it is not given up while the database is away.
 * @param onFailure called before each repetition
 * @returns the result of `store`; undefined if the signal was aborted before it succeeded
 */
export async function storeAnswer<T>(
  signal: AbortSignal,
  store: () => Promise<T>,
  onFailure: (error: unknown) => void,
): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await store();
    } catch (error) {
      onFailure(error);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
