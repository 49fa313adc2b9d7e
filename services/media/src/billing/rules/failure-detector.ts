/** An instance and its number of heartbeats; -1: it has left in order; `UNHEARD`: it is known only from its bills. */
export interface HeardInstance {
  readonly id: string;
  readonly beats: bigint;
}

const LEFT = -1n;
export const UNHEARD = -2n;

/**
 * Detects dead instances by this process's own clock: those whose number of heartbeats has not changed for the lease time. After
 * a pause between checks, in which heartbeats could not be seen, the time starts again.
 */
export class FailureDetector {
  readonly #silenceMs: number;
  readonly #heard = new Map<string, { beats: bigint; sinceMs: number }>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs;
  }

  /** Heartbeats can't be judged now, so the time starts again for every instance. */
  forget(): void {
    this.#heard.clear();
  }

  /** @param nowMs by a monotonic clock */
  look(instances: readonly HeardInstance[], nowMs: number): HeardInstance[] {
    if (nowMs - this.#lookedAtMs > this.#silenceMs / 2) this.#heard.clear();
    this.#lookedAtMs = nowMs;
    const known = new Set(instances.map(({ id }) => id));
    for (const id of this.#heard.keys()) if (!known.has(id)) this.#heard.delete(id);
    return instances.filter(({ id, beats }) => {
      const heard = this.#heard.get(id);
      if (beats === LEFT) return true;
      if (heard?.beats === beats) return nowMs - heard.sinceMs >= this.#silenceMs;
      this.#heard.set(id, { beats, sinceMs: nowMs });
      return false;
    });
  }
}
