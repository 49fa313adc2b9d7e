import { isDeepStrictEqual } from 'node:util';

/** One process of a peer. */
export interface Instance {
  /** `host:port`; the host is an IP literal, IPv6 in brackets. */
  readonly address: string;
  /** Where it runs, if the source knows. */
  readonly zone?: string;
}

/** @param host an IP literal */
export function instanceAt(host: string, port: number | string, zone?: string): Instance {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return { address, ...(zone && { zone }) };
}

/** Receives each answer of a source: all instances of its entry, or none and why. */
export type Report = (answer: readonly Instance[], failure?: Error) => void;

/** Starts to report the instances of one entry of an address list; returns a function that stops it. */
export type InstanceSource = (report: Report) => () => void;

export type MembershipListener = (membership: Membership) => void;

/** The instances of a peer: the union of what its sources report. An empty or failed answer keeps the last set of a source. */
export class Membership {
  readonly #sources: readonly InstanceSource[];
  readonly #known: (readonly Instance[] | undefined)[];
  readonly #listeners = new Set<MembershipListener>();
  #stops: (() => void)[] = [];
  #instances: readonly Instance[] = [];
  #failure: Error | undefined;

  constructor(sources: readonly InstanceSource[]) {
    this.#sources = sources;
    this.#known = sources.map(() => undefined);
  }

  /** In a stable order, without duplicates. */
  get instances(): readonly Instance[] {
    return this.#instances;
  }

  /** Whether every source has reported. Without any instance by then, the peer has none that can be found. */
  get reported(): boolean {
    return this.#known.every((known) => known !== undefined);
  }

  /** Why a source has no instances, if there are none. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Calls the listener now if anything was reported, and after each change. The sources run while there is a listener.
   * Returns a function that removes the listener.
   */
  watch(listener: MembershipListener): () => void {
    if (this.#listeners.size === 0) {
      this.#stops = this.#sources.map((source, at) =>
        source((answer, failure) => this.#apply(at, answer, failure)),
      );
    }
    this.#listeners.add(listener);
    if (this.reported || this.#instances.length > 0) listener(this);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      for (const stop of this.#stops.splice(0)) stop();
    };
  }

  #apply(at: number, answer: readonly Instance[], failure: Error | undefined): void {
    const wasReported = this.reported;
    this.#failure = failure;
    this.#known[at] = answer.length > 0 ? answer : (this.#known[at] ?? []);
    const byAddress = new Map(this.#known.flatMap((known) => known ?? []).map((one) => [one.address, one]));
    const instances = [...byAddress.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
    if (wasReported === this.reported && isDeepStrictEqual(instances, this.#instances)) return;
    this.#instances = instances;
    for (const listener of this.#listeners) listener(this);
  }
}
