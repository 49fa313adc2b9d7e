const SLOT_MS = 1_000;
const SLOTS = 60;

/** The sum of what was added in the last minute, to the second, in constant memory. */
export class RollingSum {
  /** Ring buffer: by interval number, modulo the number of intervals. */
  readonly #slots: ({ readonly number: number; sum: number } | undefined)[] = [];

  add(nowMs: number, amount: number): void {
    const number = Math.floor(nowMs / SLOT_MS);
    const slot = this.#slots[number % SLOTS];
    if (slot?.number === number) slot.sum += amount;
    else this.#slots[number % SLOTS] = { number, sum: amount };
  }

  /** Returns the milliseconds until the sum is at most `most`; 0: it is. */
  waitMs(nowMs: number, most: number): number {
    const now = Math.floor(nowMs / SLOT_MS);
    const slots = this.#slots.filter((slot) => slot !== undefined && slot.number > now - SLOTS);
    let sum = slots.reduce((total, slot) => total + slot!.sum, 0);
    if (sum <= most) return 0;
    slots.sort((one, other) => one!.number - other!.number);
    for (const slot of slots) {
      sum -= slot!.sum;
      if (sum <= most) return (slot!.number + SLOTS) * SLOT_MS - nowMs;
    }
    return SLOTS * SLOT_MS;
  }
}
