/** An instance, and how many signs of life it has given; -1: it has left in order; `UNHEARD`: it is known by its bills alone. */
export interface HeardInstance {
  readonly id: string;
  readonly beats: bigint;
}

const LEFT = -1n;
export const UNHEARD = -2n;

/**
 * Tells which instances give no more signs of life, by this process's own clock: those whose count stood still over
 * all looks of a while. After a pause between looks, in which nobody was heard, that while begins anew.
 */
export class FailureDetector {
  readonly #silenceMs: number;
  readonly #heard = new Map<string, { beats: bigint; sinceMs: number }>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs;
  }

  /** Nobody can be judged by what is heard now: the while begins anew. */
  forget(): void {
    this.#heard.clear();
  }

  /** @param nowMs by a clock that never steps */
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
