import type { Usage } from './usage';

export interface CallFacts {
  readonly provider: string;
  readonly model: string;
  readonly requestId: string | null;
  readonly stream: boolean;
}

export interface CallOutcome {
  /** HTTP status of the reply, 0 when there was none. */
  readonly status: number;
  readonly usage: Usage;
  /** The reply's last byte was handed to the socket. */
  readonly finished: boolean;
  /** The caller closed its side first. */
  readonly aborted: boolean;
}

export interface MeterEntry extends CallFacts, CallOutcome {
  /** Ascending, never used twice, not even after a reset. */
  readonly id: number;
  readonly atMs: number;
}

export interface MeterTotals extends Usage {
  readonly calls: number;
}

export interface MeterQuery {
  readonly limit: number;
  /** Entries with a greater id, oldest first; without it the latest `limit` entries. */
  readonly after?: number;
  readonly requestId?: string;
}

const MAX_MODELS = 1_000;
export const OTHER_MODELS = '(other)';

/** The provider's own account of what it served: a bounded ring of calls and unbounded totals. */
export class Meter {
  #ring: MeterEntry[] = [];
  #firstId = 1;
  #nextId = 1;
  #totals = new Sum();
  #byModel = new Map<string, Sum>();
  #inFlight = 0;

  constructor(
    private readonly capacity: number,
    private readonly nowMs: () => number,
  ) {}

  get inFlight(): number {
    return this.#inFlight;
  }

  get totals(): MeterTotals {
    return this.#totals;
  }

  get byModel(): ReadonlyMap<string, MeterTotals> {
    return this.#byModel;
  }

  /** Returns the function that records the call's outcome; it is called exactly once. */
  begin(): (facts: CallFacts, outcome: CallOutcome) => void {
    this.#inFlight++;
    return (facts, outcome) => {
      this.#inFlight--;
      this.#record(facts, outcome);
    };
  }

  reset(): void {
    this.#ring = [];
    this.#firstId = this.#nextId;
    this.#totals = new Sum();
    this.#byModel = new Map();
  }

  entries(query: MeterQuery): MeterEntry[] {
    const found: MeterEntry[] = [];
    const matches = (entry: MeterEntry) =>
      query.requestId === undefined || entry.requestId === query.requestId;
    const oldestId = this.#nextId - this.#ring.length;
    if (query.after !== undefined) {
      for (let id = Math.max(query.after + 1, oldestId); id < this.#nextId; id++) {
        if (found.length === query.limit) break;
        const entry = this.#at(id);
        if (matches(entry)) found.push(entry);
      }
      return found;
    }
    for (let id = this.#nextId - 1; id >= oldestId && found.length < query.limit; id--) {
      const entry = this.#at(id);
      if (matches(entry)) found.push(entry);
    }
    return found.reverse();
  }

  #at(id: number): MeterEntry {
    return this.#ring[(id - this.#firstId) % this.capacity]!;
  }

  #record(facts: CallFacts, outcome: CallOutcome): void {
    const id = this.#nextId++;
    this.#ring[(id - this.#firstId) % this.capacity] = { id, atMs: this.nowMs(), ...facts, ...outcome };
    this.#totals.add(outcome.usage);
    const known = this.#byModel.has(facts.model) || this.#byModel.size < MAX_MODELS;
    const model = known ? facts.model : OTHER_MODELS;
    let ofModel = this.#byModel.get(model);
    if (ofModel === undefined) {
      ofModel = new Sum();
      this.#byModel.set(model, ofModel);
    }
    ofModel.add(outcome.usage);
  }
}

class Sum implements MeterTotals {
  calls = 0;
  promptTokens = 0;
  completionTokens = 0;
  cachedTokens = 0;
  reasoningTokens = 0;

  add(usage: Usage): void {
    this.calls++;
    this.promptTokens += usage.promptTokens;
    this.completionTokens += usage.completionTokens;
    this.cachedTokens += usage.cachedTokens;
    this.reasoningTokens += usage.reasoningTokens;
  }
}
