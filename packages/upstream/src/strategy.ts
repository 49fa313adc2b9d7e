import { type Placement, type Route, routeName } from './route';
import type { TargetHealth } from './target-health';

/** How a model's calls are spread over its routes of one priority. */
export const STRATEGIES = ['weighted', 'priority', 'least-busy', 'lowest-latency', 'lowest-price'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export const DEFAULT_STRATEGY: Strategy = 'weighted';

/** Returns the strategy with that name; a name that this version does not know is the default. */
export const strategyOf = (name: string): Strategy =>
  STRATEGIES.find((strategy) => strategy === name) ?? DEFAULT_STRATEGY;

/** Calls that share the start of their prompt. The route that served one of them has it in the provider's prompt cache. */
export interface Session {
  readonly key: string;
  /** The name of the route that served its last call, if it is not the one that the strategy chooses. */
  readonly pinned: string | undefined;
}

/** Latencies closer than this ratio count as equal, so that weights and sessions decide, not noise. */
const LATENCY_STEP = Math.log(1.25);

/**
 * Returns how to order the routes of a call.
 * - Calls of one session are drawn alike, in every instance: by rendezvous hashing, a session changes its route only if that
 *   route disappears. Other calls are drawn at random.
 * - A pinned route is first among its priority. It is not the only one: the call goes on to the others if it fails.
 * @param targets of the model, in the catalog's order
 */
export function placementOf(
  strategy: Strategy,
  targets: readonly Route['target'][],
  health: Pick<TargetHealth, 'inFlight' | 'latencyMs'>,
  session: Session | undefined,
): Placement {
  const rank = rankOf(strategy, targets, health);
  const pinned = session?.pinned;
  return {
    draw: session ? (route) => uniformOf(session.key, routeName(route)) : Math.random,
    ...(pinned === undefined
      ? rank && { rank }
      : { rank: (route) => (routeName(route) === pinned ? Number.NEGATIVE_INFINITY : (rank?.(route) ?? 0)) }),
  };
}

function rankOf(
  strategy: Strategy,
  targets: readonly Route['target'][],
  health: Pick<TargetHealth, 'inFlight' | 'latencyMs'>,
): ((route: Route) => number) | undefined {
  if (strategy === 'priority') return ({ target }) => targets.indexOf(target);
  if (strategy === 'least-busy') return (route) => health.inFlight(route);
  if (strategy === 'lowest-price') return ({ target }) => priceOf(target);
  if (strategy === 'lowest-latency') return (route) => latencyRank(health.latencyMs(route));
  return undefined;
}

/** Input is several times as long as output in most calls. */
const INPUT_PER_OUTPUT = 3n;

/** Returns what three input tokens and one output token cost, for comparison; a target without a cost is the most expensive. */
function priceOf({ cost }: Route['target']): number {
  return cost ? Number(INPUT_PER_OUTPUT * cost.input + cost.output) : Number.POSITIVE_INFINITY;
}

/** A route without recent calls is tried, or its latency would never be known. */
const latencyRank = (latencyMs: number | undefined): number =>
  latencyMs === undefined ? Number.NEGATIVE_INFINITY : Math.floor(Math.log(latencyMs + 1) / LATENCY_STEP);

const UINT32 = 2 ** 32;

/** Returns a number in [0, 1) that is the same for the same texts, and otherwise uniform. */
function uniformOf(key: string, name: string): number {
  const high = hash32(key, hash32(name, 0x9e3779b9));
  const low = hash32(name, high ^ 0x85ebca6b);
  return (high + low / UINT32) / UINT32;
}

/** FNV-1a with the final mixing of MurmurHash3. */
function hash32(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
