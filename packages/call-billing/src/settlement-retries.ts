import { setTimeout as sleep } from 'node:timers/promises';
import { Quota } from '@gateway/quota';

/** A call that has ended is usually settled within a second. */
const WAITS_MS = [50, 100, 150, 200];
/** Concurrent retries per key. More calls than this are likely waiting for calls that have not ended yet. */
const MAX_WAITING = 4;

/**
 * Retries a reservation that was refused because of open holds. A client that sends calls in sequence may be faster than
 * the settlement of its last call, and must not be refused because of the unused part of that call's hold.
 */
export class SettlementRetries {
  readonly #waiting = new Quota({ limit: Number.POSITIVE_INFINITY, perHolder: MAX_WAITING });

  /**
   * Repeats the request until its answer does not depend on a pending settlement, or the waits are used up. Returns the last
   * answer.
   * @param signal aborted when the client has disconnected
   */
  async retry<Answer extends { readonly awaitsSettlement: boolean }>(
    keyId: string,
    first: Answer,
    request: () => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    if (this.#waiting.acquire(keyId)) return first;
    try {
      let answer = first;
      for (const waitMs of WAITS_MS) {
        await sleep(waitMs, undefined, { signal }).catch(() => {});
        if (signal.aborted) break;
        answer = await request();
        if (!answer.awaitsSettlement) break;
      }
      return answer;
    } finally {
      this.#waiting.release(keyId);
    }
  }
}
