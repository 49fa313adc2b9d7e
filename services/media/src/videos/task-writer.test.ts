import { createLogger } from '@gateway/process';
import type { RequestContext } from '@gateway/rpc';
import { expect, test } from '@jest/globals';
import type { NewTask, VideoTask } from './rules/video-task';
import { TaskWriter } from './task-writer';

const context: RequestContext = {
  requestId: 'r1',
  signal: new AbortController().signal,
  log: createLogger('test', 'silent'),
};
const task = { id: 'task_1', provider: 'kling', upstreamId: '7' } as NewTask;
const kept = { ...task, state: 'queued' } as VideoTask;

/** What each try to write it down does, and what is there afterwards. */
function keeperOf(tries: (VideoTask | Error | undefined)[], there?: VideoTask) {
  const asked: string[] = [];
  const billOutbox = new TaskWriter({
    firstWaitMs: 1,
    tasks: {
      async insert() {
        asked.push('insert');
        const next = tries.shift();
        if (next instanceof Error) throw next;
        return next;
      },
      async find() {
        asked.push('find');
        return there;
      },
    },
  });
  return { keep: () => billOutbox.write(context, task, async () => true), asked };
}

test('what was accepted is written down, however often the database is away', async () => {
  const { keep, asked } = keeperOf([new Error('away'), new Error('away'), kept]);
  expect(await keep()).toBe(kept);
  expect(asked).toEqual(['insert', 'insert', 'insert']);
});

test('a commit whose answer was lost is found', async () => {
  const { keep, asked } = keeperOf([new Error('connection lost'), undefined], kept);
  expect(await keep()).toBe(kept);
  expect(asked).toEqual(['insert', 'insert', 'find']);
});

test('a task whose bill was given up is none', async () => {
  const { keep } = keeperOf([undefined]);
  await expect(keep()).rejects.toMatchObject({ code: 'internal_error' });
});
