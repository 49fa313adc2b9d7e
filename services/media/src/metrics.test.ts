import { TargetHealth } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import { createMediaMetrics } from './metrics';

const countBills = async () =>
  new Map([
    ['open', 1],
    ['dispatched', 2],
    ['ended', 0],
  ]);
const textWith = (counts: Partial<Parameters<typeof createMediaMetrics>[0]>) =>
  createMediaMetrics({
    health: new TargetHealth(() => 0, 10_000),
    countBills,
    countTasks: async () => 7,
    countTimeoutMs: 20,
    ...counts,
  }).registry.metrics();

test('counts open bills and tasks', async () => {
  const text = await textWith({});
  expect(text).toContain('media_bills{state="dispatched"} 2');
  expect(text).toContain('media_tasks_open 7');
});

test.each<[string, () => Promise<never>]>([
  ['is unavailable', () => Promise.reject(new Error('away'))],
  ['hangs', () => new Promise(() => {})],
])('exports all other metrics while the database %s', async (_what, count) => {
  const text = await textWith({ countBills: count, countTasks: count });
  expect(text).toContain('media_bills{state="dispatched"} Nan');
  expect(text).toContain('media_tasks_open Nan');
  expect(text).toContain('# TYPE media_target_calls_total counter');
});
