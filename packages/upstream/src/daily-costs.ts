const DAY_MS = 24 * 60 * 60 * 1_000;
const PARTS = 1_000_000n;

/** A credential whose costs are added up over all instances. */
export interface CostedCredential {
  readonly provider: string;
  /** Unique among all providers. */
  readonly id: string;
  readonly name: string;
  /** Of a UTC day; absent: none. */
  readonly limitNano?: bigint;
}

/** Cumulative costs of this process on a UTC day, in nano-USD by the id of the credential. */
export interface CostReport {
  /** Such as `2026-01-31`. */
  readonly day: string;
  readonly costs: ReadonlyMap<string, bigint>;
}

/** Costs of one credential on the current day, in nano-USD. */
interface Cost {
  ownNano: bigint;
  reportedNano: bigint;
  /** Of the other instances, when they were last asked for. */
  othersNano: bigint;
}

const textOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/**
 * What the calls with each credential cost on the current UTC day: those of this process, and those of the other instances as of the
 * last exchange. Without an exchange the last known costs of the others count. A call counts when it ends, so calls in flight may
 * exceed a limit by their own cost.
 */
export class DailyCosts {
  readonly #nowMs: () => number;
  #credentials: ReadonlyMap<string, CostedCredential> = new Map();
  /** No more than `#credentials`. */
  #costs = new Map<string, Cost>();
  #day = 0;

  /** @param nowMs the time in milliseconds since the epoch */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Replaces the credentials; costs of others, such as those of the environment, are not counted. */
  replaceCredentials(credentials: readonly CostedCredential[]): void {
    this.#credentials = new Map(credentials.map((credential) => [credential.id, credential]));
    for (const id of this.#costs.keys()) if (!this.#credentials.has(id)) this.#costs.delete(id);
  }

  add(credentialId: string, costNano: bigint): void {
    if (this.#credentials.has(credentialId)) this.#cost(credentialId).ownNano += costNano;
  }

  /** Returns whether all instances together have reached the credential's limit of today. */
  isSpent(credentialId: string): boolean {
    const limitNano = this.#credentials.get(credentialId)?.limitNano;
    return limitNano !== undefined && this.#totalNano(credentialId) >= limitNano;
  }

  /** Returns the costs to report: those that have changed, and those of credentials with a limit, whose totals are needed. */
  report(): CostReport {
    this.#startDay();
    const costs = new Map<string, bigint>();
    for (const { id, limitNano } of this.#credentials.values()) {
      const { ownNano = 0n, reportedNano = 0n } = this.#costs.get(id) ?? {};
      if (limitNano !== undefined || ownNano > reportedNano) costs.set(id, ownNano);
    }
    return { day: textOf(this.#day), costs };
  }

  /** Takes over the answer to a report. @param totals of all instances, including the report; absent: 0 */
  received({ day, costs }: CostReport, totals: ReadonlyMap<string, bigint>): void {
    this.#startDay();
    if (day !== textOf(this.#day)) return;
    for (const [id, reportedNano] of costs) {
      if (!this.#credentials.has(id)) continue;
      const cost = this.#cost(id);
      const othersNano = (totals.get(id) ?? 0n) - reportedNano;
      cost.reportedNano = reportedNano;
      cost.othersNano = othersNano > 0n ? othersNano : 0n;
    }
  }

  /** Returns how much of its limit each credential with a limit has used; 1 and more: all of it. For metrics. */
  usedParts(): { readonly provider: string; readonly name: string; readonly used: number }[] {
    return [...this.#credentials.values()].flatMap(({ provider, id, name, limitNano }) =>
      limitNano === undefined
        ? []
        : [{ provider, name, used: Number((this.#totalNano(id) * PARTS) / limitNano) / Number(PARTS) }],
    );
  }

  #totalNano(id: string): bigint {
    this.#startDay();
    const { ownNano = 0n, othersNano = 0n } = this.#costs.get(id) ?? {};
    return ownNano + othersNano;
  }

  #cost(id: string): Cost {
    this.#startDay();
    let cost = this.#costs.get(id);
    if (!cost) {
      cost = { ownNano: 0n, reportedNano: 0n, othersNano: 0n };
      this.#costs.set(id, cost);
    }
    return cost;
  }

  #startDay(): void {
    const day = Math.floor(this.#nowMs() / DAY_MS);
    if (day === this.#day) return;
    this.#day = day;
    this.#costs = new Map();
  }
}
