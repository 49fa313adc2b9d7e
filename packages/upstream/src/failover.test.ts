import { beforeEach, expect, test } from '@jest/globals';
import { CredentialLimiter } from './credential-limiter';
import { Failover, failureName, type RoutedCall, type TargetRequest } from './failover';
import type { Route } from './route';
import { routeOf } from './route.fixture';
import { TargetHealth } from './target-health';
import { UpstreamError } from './upstream-failure';

const [A, B, C] = ['a', 'b', 'c'].map(routeOf) as [Route, Route, Route];
const answeredBy = (id: string) => async () => id;
const failing =
  (error: unknown): TargetRequest<string> =>
  async () => {
    throw error;
  };
const ofStatus = (status: number) => new UpstreamError({ kind: 'status', status });
const UNREACHABLE = new UpstreamError({ kind: 'unreachable', cause: new Error('refused') });

let nowMs: number;
let health: TargetHealth;
let failover: Failover;
/** What each provider does. */
let does: Record<string, TargetRequest<string> | undefined>;
/** Recorded steps, in order. */
let steps: string[];
beforeEach(() => {
  nowMs = 0;
  health = new TargetHealth(() => nowMs, 10_000);
  steps = [];
  does = { a: answeredBy('a'), b: answeredBy('b'), c: answeredBy('c') };
  failover = new Failover({
    health,
    limiter: new CredentialLimiter(() => nowMs),
    metrics: {
      answered: ({ provider }) => steps.push(`${provider.id} answered`),
      failed: ({ provider }, failure) => steps.push(`${provider.id} ${failureName(failure)}`),
    },
  });
});

const send = (fields: Partial<RoutedCall<Route, string>> = {}) =>
  failover.firstAnswer({
    accountId: 'account',
    routes: [A, B, C],
    log: { warn: (facts) => steps.push(`warned of ${(facts as { provider: string }).provider}`) },
    requestTo: ({ provider }) => does[provider.id],
    ...fields,
  });

test('returns the first answer with an attempt for each request that was sent', async () => {
  does = { a: failing(ofStatus(500)), b: undefined, c: answeredBy('c') };
  expect(await send()).toEqual({
    route: C,
    answer: 'c',
    attempts: [
      { route: A, outcome: { kind: 'status', status: 500 }, firstByteMs: expect.any(Number) },
      { route: C, outcome: 'answered', firstByteMs: expect.any(Number) },
    ],
  });
  expect(steps).toEqual(['a 500', 'warned of a', 'c answered']);
});

test('returns the failure for which a retry is most promising if every target fails', async () => {
  does = { a: failing(ofStatus(429)), b: failing(UNREACHABLE), c: failing(ofStatus(500)) };
  const result = await send();
  expect(result).toMatchObject({ failure: { kind: 'status', status: 429 } });
  expect(result.attempts.map(({ route }) => route)).toEqual([A, B, C]);
});

test('returns the error of a call that the client must change, without a warning, and tries no other target', async () => {
  const error = ofStatus(400);
  does = { a: failing(error) };
  expect(await send()).toMatchObject({ error, attempts: [{ route: A }] });
  expect(steps).toEqual(['a 400']);
});

test('tries no other target after an error that its call judges as final', async () => {
  const error = ofStatus(500);
  does = { a: failing(UNREACHABLE), b: failing(error) };
  const failure = UNREACHABLE.failure;
  const result = await send({ verdictOf: (thrown) => ({ failure, isFinal: thrown === error }) });
  expect(result).toMatchObject({ error, attempts: [{ route: A }, { route: B, outcome: failure }] });
  expect(steps).toEqual(['a unreachable', 'warned of a', 'b unreachable', 'warned of b']);
});

test('a refusal ends the call and counts as a success of its target', async () => {
  for (let call = 0; call < 5; call++)
    await send({ verdictOf: () => ({ failure: undefined, isFinal: true }), routes: [{ ...A }] });
  does.a = failing(new Error('no'));
  const result = await send({ verdictOf: () => ({ failure: undefined, isFinal: true }) });
  expect(result).toMatchObject({ attempts: [{ route: A, outcome: 'refused' }] });
  expect(steps.at(-1)).toBe('a refused');
  expect(health.reports()).toMatchObject([{ calls: 6, errors: 0, state: 'closed' }]);
});

test('stores each attempt before its request is sent, and sends none that could not be stored', async () => {
  does = { a: failing(ofStatus(500)), b: answeredBy('b') };
  const beforeAttempt = async ({ provider }: Route) => void steps.push(`stored ${provider.id}`);
  await send({ beforeAttempt });
  expect(steps).toEqual(['stored a', 'a 500', 'warned of a', 'stored b', 'b answered']);
  steps = [];
  await expect(send({ beforeAttempt: () => Promise.reject(new Error('away')) })).rejects.toThrow('away');
  expect(steps).toEqual([]);
});

test('a target with an open circuit is not called, and if all are open none is called', async () => {
  does.a = failing(UNREACHABLE);
  for (let call = 0; call < 5; call++) await send({ routes: [A] });
  expect(await send({ routes: [A] })).toMatchObject({ failure: { kind: 'unreachable' }, attempts: [] });
  expect(await send({ routes: [A, B] })).toMatchObject({ answer: 'b' });
});

test('a credential at its limit is skipped without an attempt, and its wait is the failure', async () => {
  const limited = { ...A, credential: { ...A.credential, limits: { requestsPerMinute: 1 } } };
  await send({ routes: [limited] });
  expect(await send({ routes: [limited] })).toEqual({
    failure: { kind: 'status', status: 429, retryAfterSeconds: 60 },
    attempts: [],
  });
  expect(await send({ routes: [limited, B] })).toMatchObject({ answer: 'b' });
});

test('the error after a disconnect is thrown and counts as no failure', async () => {
  const client = new AbortController();
  does.a = async () => {
    client.abort();
    throw new Error('cancelled');
  };
  await expect(send({ client: client.signal })).rejects.toThrow('cancelled');
  expect(steps).toEqual([]);
  expect(health.inFlight(A)).toBe(0);
});

test('an answer counts as in flight until it ends, once, and its break is a failure of the target', async () => {
  let end: (error?: unknown) => void = () => {};
  does.a = async (onEnd) => {
    end = onEnd;
    return 'a';
  };
  await send();
  await send();
  expect(health.inFlight(A)).toBe(2);
  end(ofStatus(500));
  end();
  expect(health.inFlight(A)).toBe(1);
  expect(steps).toEqual(['a answered', 'a answered', 'a 500']);
});

test('a target that failed has no call in flight', async () => {
  does.a = failing(ofStatus(500));
  await send();
  expect([health.inFlight(A), health.inFlight(B)]).toEqual([0, 1]);
});
