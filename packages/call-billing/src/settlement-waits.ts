import { setTimeout as sleep } from 'node:timers/promises';
import { CallPlaces } from '@gateway/quota';

/** A call that has ended is most often settled by the end of the second. */
const WAITS_MS = [50, 100, 150, 200];
/** Of one key at once. Who asks for much side by side has calls that have not ended. */
const MAX_WAITING = 4;

/**
 * Asks again for calls that are refused for what open holds keep: whoever asks one call after another is quicker than
 * the settlement of the last one, and is not to be refused for what that one does not cost.
 */
export class SettlementWaits {
  readonly #places = new CallPlaces(MAX_WAITING);

  /**
   * Resolves to the first answer that awaits no settlement, or to the last. The first is asked about once in any case.
   * @param signal aborted when nobody waits any more
   */
  async answer<Answer extends { readonly awaitsSettlement: boolean }>(
    keyId: string,
    first: Answer,
    askAgain: () => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const leave = this.#places.take(keyId);
    if (!leave) return first;
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
      leave();
    }
  }
}
