import { expect, test } from '@jest/globals';
import { type Answer, failed, fakeGateway, ok } from './client.fixture.ts';
import type { GenerateOptions } from './videos.ts';

const BODY = { model: 'a/video', prompt: 'a cat' };
const task = { task_id: 'task_1', model: 'a/video' };
const status = (name: string, more: object = {}) => ok({ ...task, status: name, ...more });
const RESULT = { task_id: 'task_1', videos: [{ url: 'https://x.test/v.mp4' }] };

async function generate(answers: readonly Answer[], options: GenerateOptions = {}) {
  const gateway = fakeGateway(answers);
  const result = await gateway.client.videos.generate(BODY, options).catch((thrown: unknown) => thrown);
  const actions = gateway.sent.map(({ url }) => url.replace('http://gateway.test/v1/videos/a/', ''));
  return { ...gateway, result, actions };
}

test('creates a task, polls it until it is completed, and returns its links', async () => {
  const seen: string[] = [];
  const { result, actions, sent, waits } = await generate(
    [status('queued'), status('queued'), status('running'), status('completed'), ok(RESULT)],
    { onTask: ({ task_id }) => seen.push(task_id), onStatus: ({ status }) => seen.push(status) },
  );
  expect(result).toEqual(RESULT);
  expect(actions).toEqual(['create', 'status', 'status', 'status', 'result']);
  expect(sent.slice(1).map(({ body }) => body)).toEqual(Array(4).fill({ task_id: 'task_1' }));
  expect(waits).toEqual([3_000, 3_000]);
  expect(seen).toEqual(['task_1', 'queued', 'running', 'completed']);
});

test('keeps polling after video_billing_error and submits nothing again', async () => {
  const { result, actions } = await generate([
    ...[status('queued'), failed('video_billing_error', 500), status('completed')],
    ...[failed('video_billing_error', 500), status('completed'), ok(RESULT)],
  ]);
  expect(result).toEqual(RESULT);
  expect(actions).toEqual(['create', 'status', 'status', 'result', 'status', 'result']);
});

test.each([
  ['status', [status('queued')]],
  ['result', [status('queued'), status('completed')]],
])('stops polling at request_cost_limit of %s', async (action, before) => {
  const { result, actions } = await generate([...before, failed('request_cost_limit', 402)]);
  expect(result).toMatchObject({ code: 'request_cost_limit', task });
  expect(actions.at(-1)).toBe(action);
  expect(actions).toHaveLength(before.length + 1);
});

test('polls through failures that pass, and honors Retry-After', async () => {
  const { result, waits } = await generate([
    ...[status('queued'), failed('internal_error', 500)],
    ...[failed('rpm_rate_limited', 429, { 'retry-after': '20' }), status('completed'), ok(RESULT)],
  ]);
  expect(result).toEqual(RESULT);
  expect(waits).toEqual([1_000, 20_500]);
});

test.each(['failed', 'canceled', 'expired'])('throws when the task has %s', async (name) => {
  const { result } = await generate([
    status('queued'),
    status(name, { error: { code: 'video_generation_failed', message: 'm', detail: 'No cats.' } }),
  ]);
  expect(result).toMatchObject({ code: 'video_task_failed', task, detail: 'No cats.' });
});

test('waits until the deadline, and a later call continues with the task of the error', async () => {
  const { result, client, waits } = await generate([status('running')], { deadlineMs: 10_000 });
  expect(result).toMatchObject({ code: 'deadline_exceeded', task });
  expect(waits).toEqual([3_000, 3_000, 3_000, 1_000]);
  await expect(client.videos.wait(task, { deadlineMs: 1_000 })).rejects.toMatchObject({ task });
});

test('ends a wait by the signal', async () => {
  const controller = new AbortController();
  const { result } = await generate([status('running')], {
    signal: controller.signal,
    onStatus: () => controller.abort('the user left'),
  });
  expect(result).toBe('the user left');
});
