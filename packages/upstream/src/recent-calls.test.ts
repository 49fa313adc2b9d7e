import { expect, test } from '@jest/globals';
import { RECENT_MS, RecentCalls } from './recent-calls';

const unreachable = { kind: 'unreachable', cause: undefined } as const;
const NOTHING = { calls: 0, errors: 0, timed: 0, latencySumMs: 0, latencyMaxMs: 0 };

test('sums calls, errors and latencies of the recent window', () => {
  const recent = new RecentCalls();
  recent.recordSuccess(1_000, 30);
  recent.recordSuccess(70_000, 50);
  recent.recordSuccess(70_001);
  recent.recordFailure(100_000, { kind: 'status', status: 503 });
  expect(recent.figures(100_500)).toEqual({
    calls: 4,
    errors: 1,
    timed: 2,
    latencySumMs: 80,
    latencyMaxMs: 50,
    lastFailure: { code: 'upstream_failed', status: 503, agoMs: 500 },
  });
});

test('counts a call whose reply breaks off as an error, without counting the call again', () => {
  const recent = new RecentCalls();
  recent.recordSuccess(0, 10);
  recent.recordBrokenReply(5);
  expect(recent.figures(5)).toMatchObject({ calls: 1, errors: 1, lastFailure: { code: 'upstream_failed' } });
});

test('forgets calls older than the window, but keeps the last failure', () => {
  const recent = new RecentCalls();
  recent.recordSuccess(0, 10);
  recent.recordFailure(29_999, unreachable);
  expect(recent.figures(RECENT_MS - 1)).toMatchObject({ calls: 2, errors: 1 });
  const lastFailure = { code: 'upstream_unavailable', status: 0, agoMs: RECENT_MS - 29_999 };
  expect(recent.figures(RECENT_MS)).toEqual({ ...NOTHING, lastFailure });
  recent.recordSuccess(RECENT_MS, 7);
  expect(recent.figures(RECENT_MS)).toMatchObject({ calls: 1, errors: 0, latencySumMs: 7 });
});
