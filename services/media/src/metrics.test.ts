import { TargetHealth } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import { targetOf } from '../../../packages/upstream/src/route.fixture';
import { createMediaMetrics } from './metrics';

const countBills = async () =>
  new Map([
    ['open', 1],
    ['dispatched', 2],
    ['ended', 0],
  ]);
const textWith = (counts: Partial<Parameters<typeof createMediaMetrics>[0]>) =>
  createMediaMetrics({
    callsInFlight: () => 3,
    health: new TargetHealth(() => 0, 10_000),
    countBills,
    countTasks: async () => 7,
    countTimeoutMs: 20,
    ...counts,
  }).registry.metrics();

test('counts calls in flight, open bills and tasks', async () => {
  const text = await textWith({});
  expect(text).toContain('media_bills{state="dispatched"} 2');
  expect(text).toContain('media_tasks_open 7');
  expect(text).toContain('media_calls_in_flight 3');
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

test('counts calls of each credential, and the credentials in each state of a target', async () => {
  const health = new TargetHealth(() => 0, 10_000);
  const { registry, targets } = createMediaMetrics({
    callsInFlight: () => 0,
    health,
    countBills,
    countTasks: async () => 0,
    countTimeoutMs: 20,
  });
  const target = targetOf('kling', { upstreamModel: 'v2' });
  const route = (name: string) => ({
    provider: { id: 'kling' },
    credential: { id: name, name, weight: 1 },
    target,
  });
  for (const name of ['one', 'two']) health.recordSuccess(route(name), 5);
  targets.answered(route('one'), 5);
  targets.failed(route('two'), { kind: 'status', status: 401 });
  targets.failed(route('two'), undefined);
  const text = await registry.metrics();
  expect(text).toContain(
    'media_credential_calls_total{provider="kling",credential="one",outcome="answered"} 1',
  );
  expect(text).toContain('media_credential_calls_total{provider="kling",credential="two",outcome="401"} 1');
  expect(text).toContain(
    'media_credential_calls_total{provider="kling",credential="two",outcome="refused"} 1',
  );
  expect(text).toContain('media_target_circuit{provider="kling",upstream_model="v2",state="closed"} 2');
  expect(text).toContain('media_credential_circuit{provider="kling",credential="one",state="closed"} 1');
});
