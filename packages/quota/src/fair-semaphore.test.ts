import { expect, jest, test } from '@jest/globals';
import { FairSemaphore, SemaphoreExhausted } from './fair-semaphore';

const OPTIONS = { concurrency: 3, perHolder: 2, maxWaiting: 3, maxWaitingPerHolder: 2, maxWaitMs: 1_000 };

/** Runs work that lasts until the test ends it; `started` lists its names in order of start. */
function createSemaphore() {
  const semaphore = new FairSemaphore(OPTIONS);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string) => {
    const done = semaphore.run(name[0] ?? '', async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
    // Work that still waits at the end of a test is refused when its wait times out.
    done.catch(() => {});
    return done;
  };
  const end = async (name: string, done: Promise<string>) => {
    ends.get(name)?.();
    expect(await done).toBe(name);
    await new Promise(process.nextTick);
  };
  return { semaphore, started, run, end };
}

test('runs work in order of arrival, skipping holders at their limit', async () => {
  const { started, run, end } = createSemaphore();
  const a1 = run('a1');
  for (const name of ['a2', 'a3', 'b1', 'c1']) run(name);
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await end('a1', a1);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('runs the work of a later holder first when the earlier holder is at its limit', async () => {
  const { started, run, end } = createSemaphore();
  for (const name of ['a1', 'a2']) run(name);
  const b1 = run('b1');
  for (const name of ['a3', 'c1']) run(name);
  await end('b1', b1);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
});

test('frees the slot of work that rejects', async () => {
  const { semaphore, started, run } = createSemaphore();
  await expect(semaphore.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  for (const name of ['a1', 'a2']) run(name);
  expect(started).toEqual(['a1', 'a2']);
});

test('refuses work when too much work of its holder, or of all holders, is waiting', async () => {
  const { run } = createSemaphore();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) run(name);
  await expect(run('a5')).rejects.toBeInstanceOf(SemaphoreExhausted);
  run('b2');
  await expect(run('c1')).rejects.toBeInstanceOf(SemaphoreExhausted);
});

test('refuses work that waits too long, without blocking later work', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
  try {
    const { started, run, end } = createSemaphore();
    const a1 = run('a1');
    run('a2');
    const refused = expect(run('a3')).rejects.toBeInstanceOf(SemaphoreExhausted);
    jest.advanceTimersByTime(999);
    run('a4');
    jest.advanceTimersByTime(1);
    await refused;
    await end('a1', a1);
    expect(started).toEqual(['a1', 'a2', 'a4']);
  } finally {
    jest.useRealTimers();
  }
});
