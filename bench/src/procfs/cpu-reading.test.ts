import { expect, test } from '@jest/globals';
import { type CpuReading, readCpu, usedCpuUs } from './cpu-reading';

const reading = (tickedUs: number, threadsUs: Readonly<Record<string, number>>): CpuReading => ({
  tickedUs,
  slackUs: 20_000,
  threadsNs: new Map(Object.entries(threadsUs).map(([thread, us]) => [thread, us * 1_000])),
});

test('threads tell what was used, between two ticks too', () => {
  expect(usedCpuUs(reading(30_000, { 1: 31_000 }), reading(30_000, { 1: 38_500 }))).toBe(7_500);
  expect(usedCpuUs(reading(0, { 1: 9_000 }), reading(20_000, { 1: 10_500, 2: 9_500 }))).toBe(11_000);
});

test('ticks do where a thread ended', () => {
  expect(usedCpuUs(reading(0, { 1: 0, 2: 5_000 }), reading(50_000, { 1: 40_000 }))).toBe(50_000);
});

test('and where one came and went', () => {
  expect(usedCpuUs(reading(0, { 1: 0 }), reading(60_000, { 1: 40_000 }))).toBe(40_000);
  expect(usedCpuUs(reading(0, { 1: 0 }), reading(70_000, { 1: 40_000 }))).toBe(70_000);
});

test('where threads are not told of, ticks are all there is', () => {
  expect(usedCpuUs(reading(0, {}), reading(70_000, {}))).toBe(70_000);
});

test('a process that computes is seen to, and one that is gone is an error', () => {
  const own = { name: 'own', pids: () => [process.pid] };
  const before = readCpu(own);
  const startUs = process.cpuUsage();
  while (process.cpuUsage(startUs).user < 50_000);
  const usedUs = usedCpuUs(before, readCpu(own));
  expect(usedUs).toBeGreaterThan(40_000);
  expect(usedUs).toBeLessThan(process.cpuUsage(startUs).user + process.cpuUsage(startUs).system + 40_000);
  expect(() => readCpu({ name: 'gone', pids: () => [2 ** 30] })).toThrow('gone is gone');
});
