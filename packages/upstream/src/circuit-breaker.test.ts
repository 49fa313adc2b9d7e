import { describe, expect, test } from '@jest/globals';
import { CircuitBreaker } from './circuit-breaker';
import type { UpstreamFailure } from './upstream-failure';

const broken: UpstreamFailure = { kind: 'broken', cause: undefined };
const unreachable: UpstreamFailure = { kind: 'unreachable', cause: undefined };
const limited: UpstreamFailure = { kind: 'status', status: 429, retryAfterSeconds: 7 };

function failing(failure: UpstreamFailure, times: number, account: (index: number) => string = () => 'a') {
  const breaker = new CircuitBreaker(10_000);
  for (let index = 0; index < times; index++) breaker.recordFailure(failure, account(index), 0);
  return breaker;
}

describe('the circuit of a target', () => {
  test('stays closed after four failures', () => {
    expect(failing(broken, 4).state(0)).toBe('closed');
  });

  test('is suspect after five failures in a row', () => {
    expect(failing(broken, 5).state(9_999)).toBe('suspect');
  });

  test('does not open if fewer than three accounts have failures', () => {
    expect(failing(broken, 1_000).state(0)).toBe('suspect');
    expect(failing(broken, 20, (index) => `account ${index % 2}`).state(0)).toBe('suspect');
  });

  test('is suspect but never opens when replies break off', () => {
    const breaker = new CircuitBreaker(10_000);
    const breakReply = () => {
      breaker.recordSuccess();
      breaker.recordBrokenReply(0);
    };
    for (let times = 0; times < 4; times++) breakReply();
    expect(breaker.state(0)).toBe('closed');
    breaker.recordCompleteReply();
    for (let times = 0; times < 4; times++) breakReply();
    expect(breaker.state(0)).toBe('closed');
    for (let times = 0; times < 100; times++) breakReply();
    expect(breaker.state(9_999)).toBe('suspect');
    expect(breaker.state(10_000)).toBe('half-open');
    breaker.startCall(10_000);
    breaker.recordSuccess();
    breaker.recordCompleteReply();
    expect(breaker.state(10_000)).toBe('closed');
  });

  test('opens when calls of three accounts fail', () => {
    expect(failing(broken, 20, (index) => `account ${index % 3}`).state(0)).toBe('open');
  });

  test('opens after five failures to connect', () => {
    expect(failing(unreachable, 4).state(0)).toBe('closed');
    expect(failing(unreachable, 5).state(0)).toBe('open');
  });

  test('cools for the Retry-After of a 429, but no longer than a minute', () => {
    expect(failing(limited, 1).state(6_999)).toBe('cooling');
    expect(failing(limited, 100).state(7_000)).toBe('closed');
    expect(failing({ ...limited, retryAfterSeconds: 3_600 }, 1).state(60_000)).toBe('closed');
  });
});

describe('a circuit after a failure that only operators can correct', () => {
  test.each([402, 403, 404, 405])('is suspect at once after status %i', (status) => {
    expect(failing({ kind: 'status', status }, 1).state(0)).toBe('suspect');
  });

  test('does not open by the failures of one account', () => {
    expect(failing({ kind: 'status', status: 403 }, 1_000).state(0)).toBe('suspect');
  });
});

test('calls that the provider forbids never open a circuit: their content may be the cause', () => {
  const breaker = new CircuitBreaker(10_000);
  for (let call = 0; call < 100; call++) {
    breaker.recordFailure({ kind: 'status', status: 403 }, `account ${call}`, 0);
  }
  expect(breaker.state(0)).toBe('suspect');
  breaker.recordSuccess();
  expect(breaker.state(0)).toBe('closed');
});

describe('the circuit of a rejected credential', () => {
  test('is suspect at once, opens after five rejections in a row, and closes when a probe succeeds', () => {
    const breaker = new CircuitBreaker(10_000);
    breaker.recordRejection(0);
    expect(breaker.state(9_999)).toBe('suspect');
    for (let call = 0; call < 4; call++) breaker.recordRejection(call);
    expect(breaker.state(9_999)).toBe('open');
    expect(breaker.state(10_000)).toBe('half-open');
    breaker.startCall(10_000);
    breaker.recordSuccess();
    expect(breaker.state(10_000)).toBe('closed');
  });

  test('waits longer after each rejected probe, but not for calls that were in flight', () => {
    const breaker = new CircuitBreaker(10_000);
    for (let call = 0; call < 50; call++) breaker.recordRejection(call);
    expect(breaker.state(10_000)).toBe('half-open');
    breaker.startCall(10_000);
    breaker.recordRejection(10_000);
    expect(breaker.state(29_999)).toBe('open');
    expect(breaker.state(30_000)).toBe('half-open');
  });
});

describe('a half-open circuit', () => {
  test('lets one call through as the probe', () => {
    const breaker = failing(unreachable, 5);
    expect(breaker.state(10_000)).toBe('half-open');
    breaker.startCall(10_000);
    expect(breaker.state(10_000)).toBe('open');
  });

  test('closes when the probe succeeds', () => {
    const breaker = failing(unreachable, 5);
    breaker.startCall(10_000);
    breaker.recordSuccess();
    expect(breaker.state(10_000)).toBe('closed');
    breaker.recordFailure(broken, 'a', 10_000);
    expect(breaker.state(10_000)).toBe('closed');
  });

  test('doubles the wait for each failed probe, up to a minute', () => {
    const breaker = failing(unreachable, 5);
    let nowMs = 10_000;
    for (const waitMs of [20_000, 40_000, 60_000, 60_000]) {
      breaker.startCall(nowMs);
      breaker.recordFailure(unreachable, 'a', nowMs);
      expect(breaker.state(nowMs + waitMs - 1)).toBe('open');
      expect(breaker.state(nowMs + waitMs)).toBe('half-open');
      nowMs += waitMs;
    }
  });

  test('is not delayed by failures of calls that were in flight', () => {
    const breaker = failing(unreachable, 50);
    expect(breaker.state(9_999)).toBe('open');
    expect(breaker.state(10_000)).toBe('half-open');
  });

  test('allows another probe when the client of the first one disconnects', () => {
    const breaker = failing(unreachable, 5);
    breaker.startCall(10_000);
    expect(breaker.state(20_000)).toBe('half-open');
  });
});
