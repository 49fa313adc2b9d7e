import { expect, test } from '@jest/globals';
import { canTransition, TASK_STATES } from './task';

test('task states only move forward', () => {
  const moves = TASK_STATES.flatMap((from) =>
    TASK_STATES.filter((to) => canTransition(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(moves).toEqual([
    'queued → running',
    'queued → completed',
    'queued → failed',
    'queued → canceled',
    'queued → expired',
    'running → completed',
    'running → failed',
    'running → canceled',
    'running → expired',
  ]);
});
