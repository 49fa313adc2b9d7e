import { expect, test } from '@jest/globals';
import { WorkQueue } from './work-queue';

test('runs so many at a time, lets so many wait and refuses the rest', async () => {
  const queue = new WorkQueue(2, 1);
  const running: (() => void)[] = [];
  const job = () => new Promise<void>((resolve) => running.push(resolve));
  const first = queue.run(job);
  const second = queue.run(job);
  const third = queue.run(job);
  expect(queue.run(job)).toBeUndefined();
  expect(running).toHaveLength(2);
  running[0]!();
  await first;
  await Promise.resolve();
  expect(running).toHaveLength(3);
  running[1]!();
  running[2]!();
  await Promise.all([second, third]);
  await expect(queue.run(async () => 'free again')).resolves.toBe('free again');
});

test('a job that fails frees its place', async () => {
  const queue = new WorkQueue(1, 0);
  await expect(
    queue.run(async () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await expect(queue.run(async () => 1)).resolves.toBe(1);
});
