import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Dashboard, startDashboard, startWorld, type World } from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const listed = async (from = dashboard) => {
  const token = await from.loginOperator();
  const { status, body } = await from.get('admin/providers', token);
  expect(status).toBe(200);
  return body;
};
// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there.
const targetOf = (body: any, service: string) =>
  body.data[0].targets.find((target: { service: string }) => target.service === service);

test('lists each provider of the catalog with its targets and its credentials', async () => {
  world.providers.listing.providers = [{ id: 'sim', simulated: true }];
  world.providers.listing.targets = [
    {
      provider: 'sim',
      upstreamModel: 'x',
      state: 'CIRCUIT_STATE_OPEN',
      calls: 10,
      errors: 4,
      timed: 6,
      latencySumMs: 600,
      latencyMaxMs: 250,
      lastFailure: { code: 'upstream_failed', status: 503, agoMs: 60_000 },
    },
  ];
  const body = await listed();
  expect(body).toMatchObject({
    next_cursor: null,
    services: [
      { service: 'chat', status: 'up' },
      { service: 'media', status: 'up' },
    ],
    window_seconds: 300,
  });
  expect(body.data).toHaveLength(1);
  expect(body.data[0]).toMatchObject({ id: 'sim', served_by: 'simulator' });
  expect(targetOf(body, 'chat')).toEqual({
    upstream_model: 'x',
    service: 'chat',
    models: ['sim/both', 'sim/chat', 'sim/disabled', 'sim/preview'],
    circuit: 'open',
    circuits: { open: 1 },
    calls: 10,
    errors: 4,
    latency: { mean_ms: 100, max_ms: 250 },
    last_failure: { code: 'upstream_failed', status: 503, at: expect.any(String) },
  });
  const agoMs = Date.now() - Date.parse(targetOf(body, 'chat').last_failure.at);
  expect(agoMs).toBeGreaterThanOrEqual(60_000);
  expect(agoMs).toBeLessThan(90_000);
  expect(targetOf(body, 'media').models).toEqual(['sim/both', 'sim/image', 'sim/video']);
});

test('a target without calls has a closed circuit, and a provider without credentials is served by nobody', async () => {
  world.providers.listing.targets = [];
  const quiet = { circuit: 'closed', calls: 0, errors: 0, latency: null, last_failure: null };
  expect(targetOf(await listed(), 'chat')).toMatchObject(quiet);
  world.providers.listing.providers = [];
  const body = await listed();
  expect(body.data[0].served_by).toBe('nobody');
  expect(targetOf(body, 'chat').circuit).toBeNull();
});

test('merges the reports of all instances, and marks an unreachable instance as away', async () => {
  world.providers.listing.providers = [{ id: 'sim', simulated: false }];
  world.providers.listing.targets = [
    { provider: 'sim', upstreamModel: 'x', state: 'CIRCUIT_STATE_COOLING', calls: 2, errors: 1 },
  ];
  const { address } = world.providers;
  const several = await startDashboard(world, {
    CHAT_ADDR: `${address},${address}`,
    MEDIA_ADDR: '127.0.0.1:1',
  });
  const body = await listed(several);
  expect(body.services.map(({ service, status }: Record<string, string>) => [service, status])).toEqual([
    ['chat', 'up'],
    ['chat', 'up'],
    ['media', 'away'],
  ]);
  expect(body.data[0].served_by).toBe('credentials');
  expect(targetOf(body, 'chat')).toMatchObject({ circuits: { cooling: 2 }, calls: 4, errors: 2 });
  expect(targetOf(body, 'media')).toMatchObject({ circuit: null, circuits: {}, calls: 0 });
  await several.stop();
});
