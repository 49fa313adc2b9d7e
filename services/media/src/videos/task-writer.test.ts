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

/** Results of the attempts to store the task, and the stored state. */
function writerWith(tries: (VideoTask | Error | undefined)[], there?: VideoTask) {
  const steps: string[] = [];
  const writer = new TaskWriter({
    firstWaitMs: 1,
    tasks: {
      async insert() {
        steps.push('insert');
        const next = tries.shift();
        if (next instanceof Error) throw next;
        return next;
      },
      async find() {
        steps.push('find');
        return there;
      },
    },
  });
  return { write: () => writer.write(context, task, async () => true), steps };
}

test('an accepted task is stored, however often the database fails', async () => {
  const { write, steps } = writerWith([new Error('unavailable'), new Error('unavailable'), kept]);
  expect(await write()).toBe(kept);
  expect(steps).toEqual(['insert', 'insert', 'insert']);
});

test('a task whose commit was not reported is found', async () => {
  const { write, steps } = writerWith([new Error('connection lost'), undefined], kept);
  expect(await write()).toBe(kept);
  expect(steps).toEqual(['insert', 'insert', 'find']);
});

test('a task whose bill was ended by another instance is not stored', async () => {
  const { write } = writerWith([undefined]);
  await expect(write()).rejects.toMatchObject({ code: 'internal_error' });
});
