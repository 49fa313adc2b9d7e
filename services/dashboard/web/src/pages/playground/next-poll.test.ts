import { expect, test } from '@jest/globals';
import { ApiError } from '../../api/api-error';
import type { VideoStatus } from '../../api/playground';
import { nextPoll, type PollResult } from './next-poll';

const START_MS = 1_000_000;
const one = (task_id: string, startedMs = START_MS) => ({ task_id, startedMs });
const seen = (polledMs: number, status: VideoStatus = 'running'): PollResult => ({
  task: { task_id: 'a', status, model: 'sim/video', created_at: '2026-01-01T00:00:00Z' },
  polledMs,
  failures: 0,
});
const failed = (polledMs: number, status: number, failures = 1, retryAfterSeconds?: number): PollResult => ({
  error: new ApiError(status, { type: '', code: '', message: '' }, undefined, retryAfterSeconds),
  polledMs,
  failures,
});

/** Returns second and task of each poll within the given time, if every poll is answered at once. */
function pollsWithin(seconds: number, tasks: readonly ReturnType<typeof one>[]): [number, string][] {
  const results = new Map<string, PollResult>();
  const times: [number, string][] = [];
  for (let nowMs = START_MS; ; ) {
    const { taskId, waitMs } = nextPoll(tasks, results, nowMs)!;
    nowMs += waitMs;
    if (nowMs - START_MS > seconds * 1_000) return times;
    results.set(taskId, seen(nowMs));
    times.push([Math.round((nowMs - START_MS) / 1_000), taskId]);
  }
}

test('polling intervals grow from 3 to 15 seconds', () => {
  const times = pollsWithin(600, [one('a')]).map(([second]) => second);
  const pauses = times.slice(1).map((second, at) => second - times[at]!);
  expect(pauses[0]).toBe(3);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  expect(pauses.at(-1)).toBe(15);
  expect(times.filter((second) => second >= 120 && second < 180)).toHaveLength(4);
});

test('polls one task at a time, in turn', () => {
  const tasks = Array.from({ length: 20 }, (_, at) => one(`task-${at}`));
  const times = pollsWithin(60, tasks);
  expect(times.length).toBeLessThanOrEqual(21);
  expect(new Set(times.map(([, taskId]) => taskId)).size).toBe(20);
});

test('does not poll tasks that have ended or are not accessible', () => {
  const nowMs = START_MS + 60_000;
  for (const status of ['completed', 'failed', 'canceled', 'expired'] as const) {
    expect(nextPoll([one('a')], new Map([['a', seen(nowMs, status)]]), nowMs)).toBeUndefined();
  }
  for (const status of [400, 402, 404]) {
    expect(nextPoll([one('a')], new Map([['a', failed(nowMs, status)]]), nowMs)).toBeUndefined();
  }
  expect(nextPoll([], new Map(), nowMs)).toBeUndefined();
});

test('failed polls back off, and respect Retry-After', () => {
  const waitAfter = (last: PollResult) => nextPoll([one('a')], new Map([['a', last]]), last.polledMs)!.waitMs;
  const polledMs = START_MS + 1_000;
  expect(waitAfter(failed(polledMs, 500))).toBe(6_000);
  expect(waitAfter(failed(polledMs, 0, 3))).toBe(24_000);
  expect(waitAfter(failed(polledMs, 500, 30))).toBe(120_000);
  expect(waitAfter(failed(polledMs, 429, 1, 40))).toBe(40_000);
  expect(waitAfter(failed(polledMs, 401))).toBe(6_000);
});
