import { beforeEach, describe, expect, test } from '@jest/globals';
import { routeOf } from './route.fixture';
import { TargetHealth } from './target-health';
import type { UpstreamFailure } from './upstream-failure';

const WAIT_MS = 10_000;
const unreachable: UpstreamFailure = { kind: 'unreachable', cause: undefined };
const broken: UpstreamFailure = { kind: 'broken', cause: undefined };
const limited: UpstreamFailure = { kind: 'status', status: 429, retryAfterSeconds: 5 };
const refused: UpstreamFailure = { kind: 'status', status: 400 };

const a = routeOf('a');
const b = routeOf('b');
const c = routeOf('c');
const all = [a, b, c];

let nowMs: number;
let health: TargetHealth;
beforeEach(() => {
  nowMs = 0;
  health = new TargetHealth(() => nowMs, WAIT_MS);
});

const fail = (route: typeof a, failure: UpstreamFailure, times = 5) => {
  for (let time = 0; time < times; time++) health.recordFailure(route, failure, 'account');
};
const order = () => health.inOrder(all).map(({ provider }) => provider.id);

describe('the order of targets', () => {
  test('is unchanged while all circuits are closed', () => {
    expect(health.inOrder(all)).toBe(all);
  });

  test('puts cooling targets last but for suspect ones, and omits open ones', () => {
    fail(a, broken);
    fail(b, limited, 1);
    expect(order()).toEqual(['c', 'b', 'a']);
    fail(c, unreachable);
    expect(order()).toEqual(['b', 'a']);
  });

  test('is empty when all circuits are open', () => {
    for (const route of all) fail(route, unreachable);
    expect(order()).toEqual([]);
  });

  test('returns a target to its place when it has cooled or becomes half-open', () => {
    fail(a, limited, 1);
    fail(b, unreachable);
    nowMs = 5_000;
    expect(order()).toEqual(['a', 'c']);
    nowMs = WAIT_MS;
    expect(order()).toEqual(['a', 'b', 'c']);
  });
});

describe('a target', () => {
  test('is one model of one provider: other models of the provider are unaffected', () => {
    fail(a, unreachable);
    const other = { ...a, target: { ...a.target, upstreamModel: 'other' } };
    expect(health.inOrder([a, other])).toEqual([other]);
  });

  test('that has opened refuses a call that was routed to it before', () => {
    const routes = health.inOrder(all);
    fail(a, unreachable);
    expect(routes.map((route) => health.admit(route))).toEqual([false, true, true]);
  });

  test('accepts one probe when it is half-open', () => {
    fail(a, unreachable);
    nowMs = WAIT_MS;
    const [first, second] = [health.inOrder(all), health.inOrder(all)];
    expect([health.admit(first[0]!), health.admit(second[0]!)]).toEqual([true, false]);
    health.recordSuccess(a);
    expect(order()).toEqual(['a', 'b', 'c']);
  });

  test('that refuses a client’s parameters counts as healthy', () => {
    fail(a, unreachable, 4);
    fail(a, refused, 1);
    fail(a, unreachable, 4);
    expect(order()).toEqual(['a', 'b', 'c']);
  });
});

test('reports the circuit state of each target', () => {
  fail(a, unreachable);
  fail(b, limited, 1);
  const states = () =>
    health.states().map(({ provider, upstreamModel, state }) => [provider, upstreamModel, state]);
  expect(states()).toEqual([
    ['a', 'm', 'open'],
    ['b', 'm', 'cooling'],
  ]);
  nowMs = WAIT_MS;
  expect(states()).toEqual([
    ['a', 'm', 'half-open'],
    ['b', 'm', 'closed'],
  ]);
});

test('reports calls and errors of each target, without counting client errors as errors', () => {
  health.recordSuccess(a, 40);
  fail(a, refused, 1);
  fail(a, limited, 1);
  health.recordSuccess(b, 5);
  health.recordBrokenReply(b);
  nowMs = 200;
  expect(health.reports()).toMatchObject([
    {
      provider: 'a',
      calls: 3,
      errors: 1,
      timed: 1,
      latencySumMs: 40,
      lastFailure: { code: 'rate_limited', agoMs: 200 },
    },
    { provider: 'b', calls: 1, errors: 1, lastFailure: { code: 'upstream_failed' } },
  ]);
});

describe('a credential', () => {
  const withKey = (id: string): typeof a => ({ ...a, credential: { id, name: `key ${id}`, weight: 1 } });
  const first = withKey('1');
  const second = withKey('2');
  const otherModel = { ...first, target: { ...first.target, upstreamModel: 'other' } };
  const usable = () => health.inOrder([first, otherModel, second]).map(({ credential }) => credential.id);
  const rejected: UpstreamFailure = { kind: 'status', status: 401 };

  test('that is rejected is used last for any model, and after several rejections not until a probe succeeds', () => {
    fail(first, rejected, 1);
    expect(usable()).toEqual(['2', '1', '1']);
    fail(first, rejected, 4);
    expect(usable()).toEqual(['2']);
    expect(health.admit(otherModel)).toBe(false);
    nowMs = WAIT_MS;
    expect(health.admit(otherModel)).toBe(true);
    expect(health.admit(first)).toBe(false);
    health.recordSuccess(otherModel);
    expect(usable()).toEqual(['1', '1', '2']);
  });

  test('without funds is used last for any model, and calls of one client do not make that an outage', () => {
    fail(first, { kind: 'status', status: 402 }, 30);
    expect(usable()).toEqual(['2', '1', '1']);
    expect(health.credentialReports()[0]).toMatchObject({ id: '1', state: 'suspect' });
  });

  test('that is rate limited is tried after the others, for that model only', () => {
    fail(first, limited, 1);
    expect(health.inOrder([first, second, otherModel])).toEqual([second, otherModel, first]);
  });

  test('that is rejected is reported with its failure', () => {
    fail(first, rejected, 1);
    health.recordSuccess(second, 20);
    expect(health.credentialReports()).toMatchObject([
      {
        provider: 'a',
        id: '1',
        name: 'key 1',
        state: 'suspect',
        calls: 1,
        errors: 1,
        lastFailure: { status: 401 },
      },
      { provider: 'a', id: '2', name: 'key 2', state: 'closed', calls: 1, errors: 0 },
    ]);
  });

  test('with a new secret is used at once', () => {
    fail(first, rejected);
    health.forget('a', '1');
    expect(usable()).toEqual(['1', '1', '2']);
  });
});

describe('the report of a credential', () => {
  const limitsOf = () => health.credentialReports().map(({ rateLimits }) => rateLimits);

  test('has the rate limits that its last reply named', () => {
    health.recordReply(a, { 'x-ratelimit-remaining-requests': '5', 'x-ratelimit-reset-requests': '90s' });
    health.recordReply(a, { 'x-ratelimit-remaining-requests': '4', 'x-ratelimit-reset-requests': '90s' });
    nowMs = 30_000;
    const limits = [{ name: 'requests', remaining: 4, resetMs: 90_000 }];
    expect(limitsOf()).toEqual([{ upstreamModel: a.target.upstreamModel, agoMs: 30_000, limits }]);
  });

  test('has no rate limits if its last reply named none', () => {
    health.recordReply(a, { 'x-request-id': 'r' });
    expect(limitsOf()).toEqual([undefined]);
  });
});

test('the report of a target says how long it is not called because of its rate limit', () => {
  fail(a, limited, 1);
  nowMs = 2_000;
  expect(health.reports().map(({ coolingMs }) => coolingMs)).toEqual([3_000]);
  nowMs = 6_000;
  expect(health.reports().map(({ coolingMs }) => coolingMs)).toEqual([0]);
});
