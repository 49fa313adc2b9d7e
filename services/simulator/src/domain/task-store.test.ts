import { expect, test } from '@jest/globals';
import { Meter } from './meter';
import type { Task, TaskOutcome } from './task';
import { TaskStore } from './task-store';

const DAY_MS = 86_400_000;

function bookWith(tasks: number) {
  const clock = { nowMs: 0 };
  const meter = new Meter(100, () => clock.nowMs);
  return {
    clock,
    meter,
    book: new TaskStore(meter, () => clock.nowMs, { tasks, chars: 100, ageMs: DAY_MS }),
  };
}

const taskOf = (
  id: string,
  submittedAtMs: number,
  endsAtMs: number,
  outcome: TaskOutcome['state'] = 'succeeded',
): Task => ({
  provider: 'kling',
  id,
  model: 'm',
  requestId: id,
  job: { text: 'x', format: 'mp4', size: { width: 16, height: 16 }, seconds: 5, tier: 'pro', uploads: [] },
  submittedAtMs,
  endsAtMs,
  outcome: { state: outcome },
  urlTtlMs: 1_000,
});

test('ends are metered once, in order, with their own times', () => {
  const { clock, meter, book } = bookWith(10);
  book.add(taskOf('late', 0, 2_000));
  book.add(taskOf('early', 0, 1_000));
  book.add(taskOf('failed', 0, 1_500, 'failed'));
  book.add(taskOf('stuck', 0, 1_000, 'running'));
  clock.nowMs = 1_999;
  book.settle();
  expect(meter.totals).toMatchObject({ tasks: 1, seconds: 5 });
  clock.nowMs = 5_000;
  book.settle();
  book.settle();
  expect(meter.totals).toMatchObject({ calls: 0, tasks: 2, seconds: 10 });
  const ended = meter
    .entries({ limit: 10 })
    .map(({ requestId, atMs, finished }) => [requestId, atMs, finished]);
  expect(ended).toEqual([
    ['early', 1_000, true],
    ['failed', 1_500, false],
    ['late', 2_000, true],
  ]);
});

test('a full store evicts ended tasks and keeps running ones', () => {
  const { clock, meter, book } = bookWith(2);
  expect([book.add(taskOf('a', 0, 5_000)), book.add(taskOf('b', 0, 1_000))]).toEqual([true, true]);
  expect(book.add(taskOf('c', 0, 1_000))).toBe(false);
  clock.nowMs = 1_000;
  expect(book.add(taskOf('d', 1_000, 9_000))).toBe(true);
  expect([book.find('kling', 'a')?.id, book.find('kling', 'b'), book.find('kling', 'd')?.id]).toEqual([
    'a',
    undefined,
    'd',
  ]);
  expect(meter.totals.tasks).toBe(1);
});

test('a store full of long prompts evicts ended tasks', () => {
  const { clock, book } = bookWith(10);
  const longTask = (id: string, chars: number) => {
    const task = taskOf(id, clock.nowMs, clock.nowMs + 1_000);
    return { ...task, job: { ...task.job, text: 'x'.repeat(chars) } };
  };
  expect([book.add(longTask('a', 60)), book.add(longTask('b', 41))]).toEqual([true, false]);
  expect(book.add(longTask('c', 40))).toBe(true);
  clock.nowMs = 1_000;
  expect([book.add(longTask('d', 100)), book.add(longTask('e', 1))]).toEqual([true, false]);
  expect([book.find('kling', 'a'), book.find('kling', 'c')]).toEqual([undefined, undefined]);
});

test('an expired task is metered before it is deleted', () => {
  const { clock, meter, book } = bookWith(2);
  book.add(taskOf('a', 0, 1_000));
  clock.nowMs = DAY_MS;
  expect(book.find('kling', 'a')).toBeUndefined();
  expect(meter.totals.tasks).toBe(1);
});

test('a task is found only by its own provider', () => {
  const { book } = bookWith(2);
  book.add(taskOf('a', 0, 1_000));
  expect(book.find('minimax', 'a')).toBeUndefined();
});
