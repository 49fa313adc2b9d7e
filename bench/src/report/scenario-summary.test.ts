import { expect, test } from '@jest/globals';
import type { Round } from '../measure';
import { summarise } from './scenario-summary';

const round = (calls: number, cpuUs: Record<string, number>): Round => ({
  elapsedMs: 2_000,
  calls,
  chunks: calls * 10,
  errors: 0,
  errorSamples: [],
  p50Ms: 1,
  p95Ms: 2,
  p99Ms: 2,
  window: { fromUs: 0, toUs: 0 },
  cpuUs,
});

const rounds = [1, 2, 4].map((slowness) => ({
  bare: round(100, { 'bare proxy': 10_000 * slowness, simulator: 5_000 }),
  gateway: round(50, { edge: 20_000, chat: 5_000 * slowness, PostgreSQL: 9_000 }),
}));

test('returns medians per call and excludes shared processes from the CPU of a target', () => {
  const { bare, gateway, cpuRatio } = summarise({ name: 'plain', title: '', stream: false, rounds });
  expect(bare).toMatchObject({ unitsPerSecond: 50, cpuUsPerUnit: 200 });
  expect(gateway.cpuUsPerUnit).toBe(600);
  expect(gateway.cpuUsPerUnitBy).toEqual({ edge: 400, chat: 200, PostgreSQL: 180 });
  expect(cpuRatio).toBe(3);
});

test('returns figures per chunk for streams', () => {
  const { bare } = summarise({ name: 'stream', title: '', stream: true, rounds });
  expect(bare).toMatchObject({ unitsPerSecond: 500, cpuUsPerUnit: 20 });
});
