import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TestBilling, WAIT } from '../testing/test-billing';

let database: TestDatabase;
let one: TestBilling;
let other: TestBilling;
beforeAll(async () => {
  database = await createTestDatabase();
  one = await TestBilling.start(database.url);
  other = await TestBilling.start(database.url);
}, 60_000);
afterAll(async () => {
  await Promise.all([one?.stop(), other?.stop()]);
  await database?.drop();
}, 60_000);

const set = (requestsPerSecond: number) =>
  callUnary(one.asDashboard, one.asDashboard.SetThrottle, { requestsPerSecond }, WAIT);
const lease = (on: TestBilling, edgeId: string, wanted: number) =>
  callUnary(on.asEdge, on.asEdge.LeaseThrottle, { edgeId, wanted }, WAIT);

test('the throttle is off by default, and a lease says so for one second', async () => {
  expect(await callUnary(one.asDashboard, one.asDashboard.GetThrottle, {}, WAIT)).toEqual({
    requestsPerSecond: 0,
  });
  expect(await lease(one, 'edge-1', 5)).toEqual({ throttled: false, permits: 0, validMs: 1_000 });
});

test('edges on different instances share one limit per second', async () => {
  expect(await set(40)).toEqual({ requestsPerSecond: 40 });
  // Keyed by the second in which a lease ends: a lease never spans two seconds.
  const given = new Map<number, number>();
  const seconds = new Set<number>();
  const untilMs = performance.now() + 2_500;
  const edge = async (id: string, on: TestBilling, wanted: number) => {
    while (performance.now() < untilMs) {
      const sentAt = Date.now();
      const { throttled, permits, validMs } = await lease(on, id, wanted);
      expect(throttled).toBe(true);
      expect(validMs).toBeGreaterThan(0);
      expect(validMs).toBeLessThanOrEqual(1_000);
      // The database uses this machine's clock.
      const end = Math.round(((sentAt + Date.now()) / 2 + validMs) / 1_000);
      given.set(end, (given.get(end) ?? 0) + permits);
      seconds.add(end);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all([edge('edge-1', one, 30), edge('edge-2', other, 10), edge('edge-3', one, 1)]);
  expect(seconds.size).toBeGreaterThanOrEqual(3);
  for (const total of given.values()) expect(total).toBeLessThanOrEqual(40);
  expect(Math.max(...given.values())).toBe(40);
  await set(0);
  expect((await lease(other, 'edge-2', 1)).throttled).toBe(false);
}, 30_000);

test('only edges may lease permits, and only the dashboard may set the throttle', async () => {
  const { asChat, asEdge } = one;
  await expect(callUnary(asChat, asChat.LeaseThrottle, { edgeId: 'x' }, WAIT)).rejects.toThrow();
  await expect(callUnary(asEdge, asEdge.SetThrottle, { requestsPerSecond: 1 }, WAIT)).rejects.toThrow();
});
