import { describe, expect, test } from '@jest/globals';
import { CircuitBreaker } from './circuit-breaker';
import type { UpstreamFailure } from './upstream-failure';

const broken: UpstreamFailure = { kind: 'broken', cause: undefined };
const unreachable: UpstreamFailure = { kind: 'unreachable', cause: undefined };
const limited: UpstreamFailure = { kind: 'status', status: 429, retryAfterSeconds: 7 };

function failing(failure: UpstreamFailure, times: number, account: (index: number) => string = () => 'a') {
  const breaker = new CircuitBreaker(10_000);
  for (let index = 0; index < times; index++) breaker.failed(failure, account(index), 0);
  return breaker;
}

describe('a target', () => {
  test('is called after a few failures as before', () => {
    expect(failing(broken, 4).state(0)).toBe('closed');
  });

  test('is suspect after five in a row', () => {
    expect(failing(broken, 5).state(9_999)).toBe('suspect');
  });

  test('is never out because of one caller', () => {
    expect(failing(broken, 1_000).state(0)).toBe('suspect');
    expect(failing(broken, 20, (index) => `account ${index % 2}`).state(0)).toBe('suspect');
  });

  test('is suspect, and no more, when its replies break off one after the other', () => {
    const breaker = new CircuitBreaker(10_000);
    const breaks = () => {
      breaker.succeeded();
      breaker.broke(0);
    };
    for (let times = 0; times < 4; times++) breaks();
    expect(breaker.state(0)).toBe('closed');
    breaker.ended();
    for (let times = 0; times < 4; times++) breaks();
    expect(breaker.state(0)).toBe('closed');
    for (let times = 0; times < 100; times++) breaks();
    expect(breaker.state(9_999)).toBe('suspect');
    expect(breaker.state(10_000)).toBe('half-open');
    breaker.begin(10_000);
    breaker.succeeded();
    breaker.ended();
    expect(breaker.state(10_000)).toBe('closed');
  });

  test('is out when the calls of several fail', () => {
    expect(failing(broken, 20, (index) => `account ${index % 3}`).state(0)).toBe('open');
  });

  test('is out when it can’t be reached', () => {
    expect(failing(unreachable, 4).state(0)).toBe('closed');
    expect(failing(unreachable, 5).state(0)).toBe('open');
  });

  test('is left alone for as long as it asks, but not forever', () => {
    expect(failing(limited, 1).state(6_999)).toBe('cooling');
    expect(failing(limited, 100).state(7_000)).toBe('closed');
    expect(failing({ ...limited, retryAfterSeconds: 3_600 }, 1).state(60_000)).toBe('closed');
  });
});

describe('after the wait', () => {
  test('one call is the probe, and others wait for it', () => {
    const breaker = failing(unreachable, 5);
    expect(breaker.state(10_000)).toBe('half-open');
    breaker.begin(10_000);
    expect(breaker.state(10_000)).toBe('open');
  });

  test('a probe that succeeds closes the circuit', () => {
    const breaker = failing(unreachable, 5);
    breaker.begin(10_000);
    breaker.succeeded();
    expect(breaker.state(10_000)).toBe('closed');
    breaker.failed(broken, 'a', 10_000);
    expect(breaker.state(10_000)).toBe('closed');
  });

  test('each that fails doubles the wait, up to a minute', () => {
    const breaker = failing(unreachable, 5);
    let nowMs = 10_000;
    for (const waitMs of [20_000, 40_000, 60_000, 60_000]) {
      breaker.begin(nowMs);
      breaker.failed(unreachable, 'a', nowMs);
      expect(breaker.state(nowMs + waitMs - 1)).toBe('open');
      expect(breaker.state(nowMs + waitMs)).toBe('half-open');
      nowMs += waitMs;
    }
  });

  test('failures of calls that were under way change nothing', () => {
    const breaker = failing(unreachable, 50);
    expect(breaker.state(9_999)).toBe('open');
    expect(breaker.state(10_000)).toBe('half-open');
  });

  test('a probe whose caller left is followed by another', () => {
    const breaker = failing(unreachable, 5);
    breaker.begin(10_000);
    expect(breaker.state(20_000)).toBe('half-open');
  });
});
