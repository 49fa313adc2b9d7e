import { setTimeout as sleep } from 'node:timers/promises';
import { Quota } from '@gateway/quota';

/** A call that has ended is usually settled within a second. */
const WAITS_MS = [50, 100, 150, 200];
/** Per key. A key with many concurrent calls is waiting for calls that have not ended. */
const MAX_WAITING = 4;

/**
 * Repeats a reservation that was refused because of open holds: a client that sends one call after another is faster
 * than the settlement of its last call and must not be refused for what that call does not cost.
 */
export class SettlementWaits {
  readonly #waiting = new Quota({ limit: Number.POSITIVE_INFINITY, perHolder: MAX_WAITING });

  /**
   * Returns the first answer that awaits no settlement, or the last answer.
   * @param signal aborted when nobody waits for the answer any more
   */
  async answer<Answer extends { readonly awaitsSettlement: boolean }>(
    keyId: string,
    first: Answer,
    askAgain: () => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    if (this.#waiting.acquire(keyId)) return first;
    try {
      let answer = first;
      for (const waitMs of WAITS_MS) {
        await sleep(waitMs, undefined, { signal }).catch(() => {});
        if (signal.aborted) break;
        answer = await askAgain();
        if (!answer.awaitsSettlement) break;
      }
      return answer;
    } finally {
      this.#waiting.release(keyId);
    }
  }
}
