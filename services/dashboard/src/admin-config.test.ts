import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import {
  changesOf,
  type Dashboard,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
let token: string;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  token = await dashboard.loginOperator();
});
beforeEach(() => {
  world.catalog.edits.length = 0;
  world.billing.throttle.requestsPerSecond = 0;
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const CHANGE = { path: 'providers.groq.enabled', from: true, to: false };
const CONFIG = { providers: [{ id: 'groq', kind: 'openai' }], settings: { requests_per_second: 50 } };

test('a diff lists the changes and makes none', async () => {
  const { body } = await dashboard.post('admin/config/diff', CONFIG, token);
  expect(body).toEqual({
    applied: false,
    problems: [],
    changes: [CHANGE, { path: 'settings.requests_per_second', from: null, to: 50 }],
  });
  expect(world.catalog.edits).toEqual([
    { method: 'ApplyConfig', request: { configJson: JSON.stringify(CONFIG), dryRun: true } },
  ]);
  expect(world.billing.throttle.requestsPerSecond).toBe(0);
});

test('an applied configuration sets the throttle too, and is in the audit log', async () => {
  const { body } = await dashboard.post('admin/config/apply', CONFIG, token);
  expect([body.applied, body.changes.length]).toEqual([true, 2]);
  expect(world.billing.throttle.requestsPerSecond).toBe(50);
  const again = await dashboard.post('admin/config/apply', CONFIG, token);
  expect(again.body.changes).toEqual([CHANGE]);
  await dashboard.post('admin/config/apply', { settings: { requests_per_second: null } }, token);
  expect(world.billing.throttle.requestsPerSecond).toBe(0);
  const [entry] = changesOf((await dashboard.get('admin/audit', token)).body);
  expect(entry.action).toBe('admin/config/apply');
});

test('a configuration with problems changes nothing', async () => {
  const providers = [{}, {}];
  const mistaken = { ...CONFIG, providers };
  const { body } = await dashboard.post('admin/config/diff', mistaken, token);
  expect(body).toMatchObject({ applied: false, problems: [{ path: 'providers', message: 'too many' }] });
  const refused = await dashboard.post('admin/config/apply', mistaken, token);
  expect([refused.status, refused.body.error]).toMatchObject([
    400,
    { code: 'invalid_request', detail: 'providers: too many' },
  ]);
  expect(world.billing.throttle.requestsPerSecond).toBe(0);
});
