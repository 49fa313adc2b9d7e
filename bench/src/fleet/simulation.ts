const KIND_BITS = 4;

/** Runs events in the order of their times, in seconds. Typed arrays, because a run has tens of millions of events. */
export class Simulation {
  now = 0;
  readonly #handlers: ((id: number) => void)[] = [];
  /** A binary heap: the earliest event is at 0, the children of `i` at `2 * i + 1` and `2 * i + 2`. */
  #times = new Float64Array(1024);
  #events = new Int32Array(1024);
  #size = 0;

  /** Returns the kind of the events that the handler receives. */
  on(handler: (id: number) => void): number {
    return this.#handlers.push(handler) - 1;
  }

  at(time: number, kind: number, id: number): void {
    if (this.#size === this.#times.length) this.#grow();
    let i = this.#size++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this.#times[parent]! <= time) break;
      this.#times[i] = this.#times[parent]!;
      this.#events[i] = this.#events[parent]!;
      i = parent;
    }
    this.#times[i] = time;
    this.#events[i] = (id << KIND_BITS) | kind;
  }

  run(until: number): void {
    while (this.#size > 0 && this.#times[0]! < until) {
      this.now = this.#times[0]!;
      const event = this.#events[0]!;
      this.#removeFirst();
      this.#handlers[event & ((1 << KIND_BITS) - 1)]!(event >> KIND_BITS);
    }
    this.now = until;
  }

  #removeFirst(): void {
    const size = --this.#size;
    const time = this.#times[size]!;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#times[child + 1]! < this.#times[child]!) child++;
      if (this.#times[child]! >= time) break;
      this.#times[i] = this.#times[child]!;
      this.#events[i] = this.#events[child]!;
      i = child;
    }
    this.#times[i] = time;
    this.#events[i] = this.#events[size]!;
  }

  #grow(): void {
    const times = new Float64Array(2 * this.#size);
    times.set(this.#times);
    this.#times = times;
    const events = new Int32Array(2 * this.#size);
    events.set(this.#events);
    this.#events = events;
  }
}
