/** Servers of one core each that work in order of arrival. */
export class Servers {
  /** Seconds of work received by each. */
  readonly workS: Float64Array;
  readonly #freeAt: Float64Array;

  constructor(readonly count: number) {
    this.workS = new Float64Array(count);
    this.#freeAt = new Float64Array(count);
  }

  /** Returns the time at which the server will have done the work. */
  serve(server: number, now: number, workS: number): number {
    const doneAt = Math.max(now, this.#freeAt[server]!) + workS;
    this.#freeAt[server] = doneAt;
    this.workS[server]! += workS;
    return doneAt;
  }

  /** The same by the one of the servers from `first` on that is free first. */
  serveByFirstFree(first: number, count: number, now: number, workS: number): number {
    let server = first;
    for (let i = first + 1; i < first + count; i++) {
      if (this.#freeAt[i]! < this.#freeAt[server]!) server = i;
    }
    return this.serve(server, now, workS);
  }
}

/** Power of two choices as in `InstancePool`: each client knows its own calls in flight only, and takes equal servers in turn. */
export class Links {
  readonly #inFlight: Uint32Array;
  readonly #lastPick: Float64Array;
  #picks = 0;

  constructor(
    clients: number,
    readonly servers: number,
    readonly random: () => number,
  ) {
    this.#inFlight = new Uint32Array(clients * servers);
    this.#lastPick = new Float64Array(clients * servers);
  }

  /** Takes one of the servers from `first` on for a call of the client. */
  pick(client: number, first = 0, count = this.servers): number {
    const at = Math.floor(this.random() * count);
    const other = (at + 1 + Math.floor(this.random() * (count - 1))) % count;
    const offset = client * this.servers + first;
    const difference = this.#inFlight[offset + at]! - this.#inFlight[offset + other]!;
    const isFirst =
      difference === 0 ? this.#lastPick[offset + at]! < this.#lastPick[offset + other]! : difference < 0;
    const picked = isFirst ? at : other;
    this.#inFlight[offset + picked]! += 1;
    this.#lastPick[offset + picked] = ++this.#picks;
    return first + picked;
  }

  end(client: number, server: number): void {
    this.#inFlight[client * this.servers + server]! -= 1;
  }
}
