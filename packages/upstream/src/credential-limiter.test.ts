import { beforeEach, describe, expect, test } from '@jest/globals';
import { CredentialLimiter } from './credential-limiter';
import type { CredentialLimits, Route } from './route';
import { routeOf } from './route.fixture';

let nowMs: number;
let limiter: CredentialLimiter;
beforeEach(() => {
  nowMs = 0;
  limiter = new CredentialLimiter(() => nowMs);
});

const limitedTo = (limits: CredentialLimits | undefined, model = 'm'): Route => {
  const route = routeOf('a');
  return {
    ...route,
    credential: { ...route.credential, limits },
    target: { ...route.target, upstreamModel: model },
  };
};
const wait = (route: Route, tokens = 0) => limiter.waitMs(route, () => tokens);
const enter = (route: Route, tokens = 0) => limiter.enter(route, () => tokens);

test('a credential without limits is never waited for, and nothing is counted for it', () => {
  for (let call = 0; call < 1_000; call++) enter(limitedTo(undefined));
  expect(wait(limitedTo(undefined))).toBe(0);
  expect(wait(limitedTo({ concurrency: 1 }))).toBe(0);
});

describe('requests per minute', () => {
  const route = limitedTo({ requestsPerMinute: 3 });

  test('are those of any sixty seconds', () => {
    for (const atMs of [0, 10_000, 20_000]) {
      nowMs = atMs;
      expect(wait(route)).toBe(0);
      enter(route);
    }
    nowMs = 30_000;
    expect(wait(route)).toBe(30_000);
    nowMs = 60_000;
    expect(wait(route)).toBe(0);
    enter(route);
    expect(wait(route)).toBe(10_000);
  });

  test('count calls of all models', () => {
    for (const model of ['m', 'n', 'o']) enter(limitedTo({ requestsPerMinute: 3 }, model));
    expect(wait(route)).toBe(60_000);
  });
});

describe('tokens per minute', () => {
  const route = limitedTo({ tokensPerMinute: 1_000 });

  test('count the input when a call is sent, and the output when it is known', () => {
    enter(route, 400);
    limiter.addOutput(route, 300);
    expect(wait(route, 300)).toBe(0);
    expect(wait(route, 301)).toBe(60_000);
  });

  test('allow a call that is larger than the limit while no other one counts', () => {
    expect(wait(route, 5_000)).toBe(0);
    enter(route, 5_000);
    expect(wait(route, 1)).toBe(60_000);
  });
});

test('concurrency counts calls until they leave', () => {
  const route = limitedTo({ concurrency: 2 });
  enter(route);
  enter(route);
  expect(wait(route)).toBe(1_000);
  limiter.leave(route);
  expect(wait(route)).toBe(0);
});
