import { expect, test } from '@jest/globals';
import { type CpuReading, readCpu, usedCpuUs } from './cpu-reading';

const reading = (tickUs: number, threadsUs: Readonly<Record<string, number>>): CpuReading => ({
  tickUs,
  toleranceUs: 20_000,
  threadsNs: new Map(Object.entries(threadsUs).map(([thread, us]) => [thread, us * 1_000])),
});

test('usedCpuUs returns the exact times of the threads, also between two ticks', () => {
  expect(usedCpuUs(reading(30_000, { 1: 31_000 }), reading(30_000, { 1: 38_500 }))).toBe(7_500);
  expect(usedCpuUs(reading(0, { 1: 9_000 }), reading(20_000, { 1: 10_500, 2: 9_500 }))).toBe(11_000);
});

test('usedCpuUs returns ticks if a thread has ended', () => {
  expect(usedCpuUs(reading(0, { 1: 0, 2: 5_000 }), reading(50_000, { 1: 40_000 }))).toBe(50_000);
});

test('usedCpuUs returns ticks if they show that a thread has started and ended in between', () => {
  expect(usedCpuUs(reading(0, { 1: 0 }), reading(60_000, { 1: 40_000 }))).toBe(40_000);
  expect(usedCpuUs(reading(0, { 1: 0 }), reading(70_000, { 1: 40_000 }))).toBe(70_000);
});

test('usedCpuUs returns ticks if the kernel does not report thread times', () => {
  expect(usedCpuUs(reading(0, {}), reading(70_000, {}))).toBe(70_000);
});

test('readCpu measures a busy process and throws for a process that has exited', () => {
  const own = { name: 'own', pids: () => [process.pid] };
  const before = readCpu(own);
  const startUs = process.cpuUsage();
  while (process.cpuUsage(startUs).user < 50_000);
  const usedUs = usedCpuUs(before, readCpu(own));
  expect(usedUs).toBeGreaterThan(40_000);
  expect(usedUs).toBeLessThan(process.cpuUsage(startUs).user + process.cpuUsage(startUs).system + 40_000);
  expect(() => readCpu({ name: 'service', pids: () => [2 ** 30] })).toThrow('service has exited');
});
