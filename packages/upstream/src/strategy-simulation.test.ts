import { expect, test } from '@jest/globals';
import { type Route, routeName, routesOf } from './route';
import { targetOf } from './route.fixture';
import { SessionPins } from './session-pins';
import { placementOf, type Strategy } from './strategy';
import { TargetHealth } from './target-health';
import type { UpstreamFailure } from './upstream-failure';

// Simulations in virtual time, with providers that keep a prompt cache for each credential.

const CREDENTIALS = ['a', 'b', 'c', 'd'];
/** Lifetime of a cached prompt after its last use. */
const CACHE_MS = 5 * 60_000;
const LIMITED: UpstreamFailure = { kind: 'status', status: 429, retryAfterSeconds: 20 };

const accountsOf = () =>
  CREDENTIALS.map((id) => ({ provider: { id: 'p' }, credential: { id, name: id, weight: 1 } }));

/** Returns a deterministic generator of uniform random numbers (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Turn {
  readonly atMs: number;
  readonly session: string;
  readonly tokens: number;
}

/** 400 conversations of 2 to 20 turns, 5 to 60 seconds apart, that start within an hour. Each turn adds to the prompt. */
function conversations(random: () => number): Turn[] {
  const turns: Turn[] = [];
  for (let conversation = 0; conversation < 400; conversation++) {
    let atMs = random() * 60 * 60_000;
    let tokens = 2_000 + random() * 8_000;
    const length = 2 + Math.floor(random() * 19);
    for (let turn = 0; turn < length; turn++) {
      turns.push({ atMs, session: `s${conversation}`, tokens });
      atMs += 5_000 + random() * 55_000;
      tokens += 200 + random() * 1_500;
    }
  }
  return turns.sort((one, other) => one.atMs - other.atMs);
}

/** Prompt tokens that credentials have in their caches. */
class PromptCaches {
  readonly #cached = new Map<string, { tokens: number; untilMs: number }>();

  /** Returns the cached tokens of the prompt, and keeps all of it. */
  use({ session, tokens, atMs }: Turn, credential: string): number {
    const name = `${session} ${credential}`;
    const known = this.#cached.get(name);
    this.#cached.set(name, { tokens, untilMs: atMs + CACHE_MS });
    return known && known.untilMs >= atMs ? known.tokens : 0;
  }
}

/** Returns the cached share of all prompt tokens. Each credential refuses one call in a hundred by its rate limit. */
function hitRate(hasSessions: boolean, strategy: Strategy): { rate: number; shares: Record<string, number> } {
  const random = seeded(7);
  const turns = conversations(random);
  let nowMs = 0;
  const health = new TargetHealth(() => nowMs, 10_000);
  const pins = new SessionPins(() => nowMs);
  const caches = new PromptCaches();
  const targets = [targetOf('p')];
  const shares: Record<string, number> = {};
  let hits = 0;
  for (const turn of turns) {
    nowMs = turn.atMs;
    const { session } = turn;
    const known = hasSessions ? { key: session, pinned: pins.get(session) } : undefined;
    const placement = () => {
      const placed = placementOf(strategy, targets, health, known);
      return hasSessions ? placed : { ...placed, draw: random };
    };
    const routes = routesOf({ targets }, accountsOf, placement);
    const answered = health.inOrder(routes).find((route) => {
      if (!health.admit(route)) return false;
      if (random() >= 0.01) return true;
      health.recordFailure(route, LIMITED, 'account');
      return false;
    });
    if (!answered) continue;
    health.recordSuccess(answered, 100);
    pins.set(session, routeName(answered));
    const { id } = answered.credential;
    shares[id] = (shares[id] ?? 0) + 1 / turns.length;
    hits += caches.use(turn, id);
  }
  const total = turns.reduce((sum, { tokens }) => sum + tokens, 0);
  return { rate: hits / total, shares };
}

/** What one credential without a rate limit would reach. */
function bestHitRate(): number {
  const turns = conversations(seeded(7));
  const caches = new PromptCaches();
  const total = turns.reduce((sum, { tokens }) => sum + tokens, 0);
  return turns.reduce((sum, turn) => sum + caches.use(turn, 'only'), 0) / total;
}

test.each<Strategy>(['weighted', 'least-busy'])(
  'sessions keep at least 90 % of the possible cache hits with strategy %s, and all credentials their share',
  (strategy) => {
    const best = bestHitRate();
    const { rate, shares } = hitRate(true, strategy);
    expect(rate / best).toBeGreaterThan(0.9);
    for (const id of CREDENTIALS) expect(Math.abs(shares[id]! - 0.25)).toBeLessThan(0.1);
  },
);

test('without sessions, weighted random calls reach less than three quarters of the possible cache hits', () => {
  expect(hitRate(false, 'weighted').rate / bestHitRate()).toBeLessThan(0.75);
});

/** Returns the 99th percentile of the latency of 4,000 calls, 20 ms apart, of which credential `d` needs ten times as long. */
function tailMs(strategy: Strategy): number {
  const random = seeded(3);
  let nowMs = 0;
  const health = new TargetHealth(() => nowMs, 10_000);
  const targets = [targetOf('p')];
  const ends: { atMs: number; route: Route }[] = [];
  const latencies: number[] = [];
  for (let call = 0; call < 4_000; call++) {
    nowMs += 20;
    for (const end of ends.filter(({ atMs }) => atMs <= nowMs)) {
      health.leave(end.route);
      ends.splice(ends.indexOf(end), 1);
    }
    const placement = () => ({ ...placementOf(strategy, targets, health, undefined), draw: random });
    const [route] = routesOf({ targets }, accountsOf, placement);
    // An exponential service time, slower the more calls the credential is answering.
    const meanMs = (route!.credential.id === 'd' ? 1_000 : 100) * (1 + health.inFlight(route!) / 10);
    const tookMs = -Math.log(1 - random()) * meanMs;
    latencies.push(tookMs);
    health.enter(route!);
    health.recordSuccess(route!, tookMs);
    ends.push({ atMs: nowMs + tookMs, route: route! });
  }
  latencies.sort((one, other) => one - other);
  return latencies[Math.floor(latencies.length * 0.99)]!;
}

test('beside a slow credential, least-busy and lowest-latency shorten the tail that weights alone have', () => {
  const weighted = tailMs('weighted');
  expect(tailMs('least-busy') / weighted).toBeLessThan(0.6);
  expect(tailMs('lowest-latency') / weighted).toBeLessThan(0.2);
});
