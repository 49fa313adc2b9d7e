import { expect, test } from '@jest/globals';
import { RECENT_MS, RecentCalls } from './recent-calls';

const unreachable = { kind: 'unreachable', cause: undefined } as const;
const NOTHING = { calls: 0, errors: 0, timed: 0, latencySumMs: 0, latencyMaxMs: 0 };

test('calls, errors and latencies of the last minutes are added up', () => {
  const recent = new RecentCalls();
  recent.answered(1_000, 30);
  recent.answered(70_000, 50);
  recent.answered(70_001);
  recent.failed(100_000, { kind: 'status', status: 503 });
  expect(recent.figures(100_500)).toEqual({
    calls: 4,
    errors: 1,
    timed: 2,
    latencySumMs: 80,
    latencyMaxMs: 50,
    lastFailure: { code: 'upstream_failed', status: 503, agoMs: 500 },
  });
});

test('a reply that breaks off makes an error of a call that was counted', () => {
  const recent = new RecentCalls();
  recent.answered(0, 10);
  recent.broke(5);
  expect(recent.figures(5)).toMatchObject({ calls: 1, errors: 1, lastFailure: { code: 'upstream_failed' } });
});

test('what is older is not counted, but for what failed last', () => {
  const recent = new RecentCalls();
  recent.answered(0, 10);
  recent.failed(29_999, unreachable);
  expect(recent.figures(RECENT_MS - 1)).toMatchObject({ calls: 2, errors: 1 });
  const lastFailure = { code: 'upstream_unavailable', status: 0, agoMs: RECENT_MS - 29_999 };
  expect(recent.figures(RECENT_MS)).toEqual({ ...NOTHING, lastFailure });
  recent.answered(RECENT_MS, 7);
  expect(recent.figures(RECENT_MS)).toMatchObject({ calls: 1, errors: 0, latencySumMs: 7 });
});
