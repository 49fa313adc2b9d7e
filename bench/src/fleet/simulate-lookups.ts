import * as costs from './costs';
import { exponential } from './random';
import { Servers } from './servers';
import { Simulation } from './simulation';

export interface LookupLoad {
  /** Calls per second of this edge. */
  readonly callsPerS: number;
  readonly seconds: number;
  /** Draws the key of a call. */
  readonly nextKey: () => number;
  readonly random: () => number;
  /** Lookups per second that the home cell answers for this edge, in order of arrival and those that edge has given up too. */
  readonly answersPerS: number;
}

/** Of one second, by the time at which a call arrives or fails. */
export interface LookupSecond {
  calls: number;
  /** Lookups that are sent to the home cell. */
  lookups: number;
  /** Calls that are refused, because too many lookups are in flight. */
  refused: number;
  /** Calls whose lookup is not answered in time. */
  timedOut: number;
}

/** `EDGE_KEY_CACHE_ENTRIES`, and the lookups in flight at a cell at most, of an edge. */
const CACHE_ENTRIES = 20_000;
const MAX_LOOKUPS = 1_000;

/** Simulates the key cache of one edge, which starts empty. */
export function simulateLookups(load: LookupLoad): LookupSecond[] {
  const { callsPerS, random, answersPerS } = load;
  const simulation = new Simulation();
  const home = new Servers(1);
  const seconds = Array.from({ length: load.seconds }, () => ({
    calls: 0,
    lookups: 0,
    refused: 0,
    timedOut: 0,
  }));
  const second = (): LookupSecond => seconds[Math.floor(simulation.now)]!;
  /** The least recently used first. */
  const cached = new Set<number>();
  /** Calls that wait for the lookup of a key. */
  const waiting = new Map<number, number>();

  const arrive = simulation.on(() => {
    second().calls++;
    ask(load.nextKey());
    simulation.at(simulation.now + exponential(random, 1 / callsPerS), arrive, 0);
  });
  const ask = (key: number) => {
    if (cached.delete(key)) cached.add(key);
    else if (waiting.has(key)) waiting.set(key, waiting.get(key)! + 1);
    else if (waiting.size < MAX_LOOKUPS) lookUp(key);
    else second().refused++;
  };
  const lookUp = (key: number) => {
    second().lookups++;
    waiting.set(key, 1);
    const answeredAt = home.serve(0, simulation.now, 1 / answersPerS);
    const givenUpAt = simulation.now + costs.TIMEOUT_S;
    if (answeredAt > givenUpAt) simulation.at(givenUpAt, giveUp, key);
    else simulation.at(answeredAt, keep, key);
  };
  const giveUp = simulation.on((key) => {
    second().timedOut += waiting.get(key)!;
    waiting.delete(key);
  });
  const keep = simulation.on((key) => {
    waiting.delete(key);
    cached.add(key);
    if (cached.size > CACHE_ENTRIES) cached.delete(cached.values().next().value!);
  });

  simulation.at(0, arrive, 0);
  simulation.run(load.seconds);
  return seconds;
}
