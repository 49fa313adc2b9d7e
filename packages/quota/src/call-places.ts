/** A bound on the calls that each holder has under way. */
export class CallPlaces {
  readonly #maxCalls: number;
  readonly #taken = new Map<string, number>();

  constructor(maxCalls: number) {
    this.#maxCalls = maxCalls;
  }

  /** What gives the place back, once however often it is called; undefined when the holder has none left. */
  take(holder: string): (() => void) | undefined {
    const taken = this.#taken.get(holder) ?? 0;
    if (taken >= this.#maxCalls) return undefined;
    this.#taken.set(holder, taken + 1);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      const left = (this.#taken.get(holder) ?? 0) - 1;
      if (left > 0) this.#taken.set(holder, left);
      else this.#taken.delete(holder);
    };
  }
}
