import { expect, test } from '@jest/globals';
import { WorkQueue } from './work-queue';

test('runs so many at a time, lets so many wait and refuses the rest', async () => {
  const queue = new WorkQueue({ concurrency: 2, maxWaiting: 1, maxWaitingPerParty: 1 });
  const running: (() => void)[] = [];
  const job = () => new Promise<void>((resolve) => running.push(resolve));
  const first = queue.run('a', job);
  const second = queue.run('a', job);
  const third = queue.run('a', job);
  expect(queue.run('a', job)).toBeUndefined();
  expect(running).toHaveLength(2);
  running[0]!();
  await first;
  await Promise.resolve();
  expect(running).toHaveLength(3);
  running[1]!();
  running[2]!();
  await Promise.all([second, third]);
  await expect(queue.run('a', async () => 'free again')).resolves.toBe('free again');
});

test('a job that fails frees its place', async () => {
  const queue = new WorkQueue({ concurrency: 1, maxWaiting: 0, maxWaitingPerParty: 0 });
  await expect(
    queue.run('a', async () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await expect(queue.run('a', async () => 1)).resolves.toBe(1);
});

test('one party has a part of the places to wait, and the others have the rest', async () => {
  const queue = new WorkQueue({ concurrency: 1, maxWaiting: 3, maxWaitingPerParty: 2 });
  let release = () => {};
  const first = queue.run('a', () => new Promise<void>((resolve) => (release = resolve)));
  const job = async () => {};
  const waiting = [queue.run('a', job), queue.run('a', job)];
  expect(queue.run('a', job)).toBeUndefined();
  waiting.push(queue.run('b', job));
  expect(waiting).not.toContain(undefined);
  expect(queue.run('c', job)).toBeUndefined();
  release();
  await Promise.all([first, ...waiting]);
  await expect(queue.run('a', async () => 'free again')).resolves.toBe('free again');
});
