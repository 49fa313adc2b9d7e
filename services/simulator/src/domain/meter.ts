import { type MediaUsage, NO_MEDIA } from './media-usage';
import { NO_USAGE, type Usage } from './usage';

export interface CallFacts {
  readonly provider: string;
  readonly model: string;
  readonly requestId: string | null;
  readonly stream: boolean;
  /** Signed parts in the conversation's history. */
  readonly signedParts: number;
}

export interface CallOutcome {
  /** HTTP status of the reply; 0 if there was none. */
  readonly status: number;
  readonly usage: Usage;
  /** Set for image and video calls. */
  readonly media?: MediaUsage;
  /** The last byte of the reply was passed to the socket. */
  readonly finished: boolean;
  /** The caller closed its side of the connection first. */
  readonly aborted: boolean;
}

export interface MeterEntry extends CallFacts, CallOutcome {
  /** Ascending; not reused after a reset. */
  readonly id: number;
  /** A call, or the end of a task, which has the facts of the submitting call and status 0. */
  readonly kind: 'call' | 'task';
  readonly atMs: number;
}

export interface MeterTotals extends Usage, Pick<MediaUsage, (typeof MEDIA_TOTALS)[number]> {
  readonly calls: number;
  /** Tasks that succeeded. */
  readonly tasks: number;
}

const TOKENS = Object.keys(NO_USAGE) as (keyof Usage)[];
const MEDIA_TOTALS = ['images', 'inputImageTokens', 'outputImageTokens', 'seconds'] as const;

export interface MeterQuery {
  readonly limit: number;
  /** Returns entries with a greater id, oldest first; absent: the latest `limit` entries. */
  readonly after?: number;
  readonly requestId?: string;
}

const MAX_MODELS = 1_000;
export const OTHER_MODELS = '(other)';

/** The provider's own record of its usage: a bounded ring of calls, and totals without a bound. */
export class Meter {
  #ring: MeterEntry[] = [];
  #firstId = 1;
  #nextId = 1;
  #totals = new RunningTotals();
  #byModel = new Map<string, RunningTotals>();
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

  /** Counts a call as in flight; returns the function that records its outcome, to be called exactly once. */
  begin(): (facts: CallFacts, outcome: CallOutcome) => void {
    this.#inFlight++;
    return (facts, outcome) => {
      this.#inFlight--;
      this.#record('call', this.nowMs(), facts, outcome);
    };
  }

  /** @param media the task's usage; only its id if it failed */
  endTask(atMs: number, facts: CallFacts, succeeded: boolean, media: MediaUsage): void {
    this.#record('task', atMs, facts, {
      status: 0,
      usage: NO_USAGE,
      media,
      finished: succeeded,
      aborted: false,
    });
  }

  reset(): void {
    this.#ring = [];
    this.#firstId = this.#nextId;
    this.#totals = new RunningTotals();
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

  #record(kind: MeterEntry['kind'], atMs: number, facts: CallFacts, outcome: CallOutcome): void {
    const id = this.#nextId++;
    this.#ring[(id - this.#firstId) % this.capacity] = { id, kind, atMs, ...facts, ...outcome };
    this.#totals.add(kind, outcome);
    const known = this.#byModel.has(facts.model) || this.#byModel.size < MAX_MODELS;
    const model = known ? facts.model : OTHER_MODELS;
    let ofModel = this.#byModel.get(model);
    if (ofModel === undefined) {
      ofModel = new RunningTotals();
      this.#byModel.set(model, ofModel);
    }
    ofModel.add(kind, outcome);
  }
}

class RunningTotals implements MeterTotals {
  calls = 0;
  tasks = 0;
  promptTokens = 0;
  completionTokens = 0;
  cachedTokens = 0;
  cacheWriteTokens = 0;
  reasoningTokens = 0;
  audioPromptTokens = 0;
  audioCompletionTokens = 0;
  images = 0;
  inputImageTokens = 0;
  outputImageTokens = 0;
  seconds = 0;

  add(kind: MeterEntry['kind'], { usage, media = NO_MEDIA, finished }: CallOutcome): void {
    if (kind === 'call') this.calls++;
    else if (finished) this.tasks++;
    for (const name of TOKENS) this[name] += usage[name];
    for (const name of MEDIA_TOTALS) this[name] += media[name];
  }
}
