/** States of a video task as callers see them. */
export const TASK_STATES = ['queued', 'running', 'completed', 'failed', 'canceled', 'expired'] as const;

export type TaskState = (typeof TASK_STATES)[number];

/** Nothing follows it. */
export const isOver = (state: TaskState): boolean => state !== 'queued' && state !== 'running';

/** A task does not go back into the queue, and stays as it ended. */
export function mayMove(from: TaskState, to: TaskState): boolean {
  return from === 'queued' ? to !== 'queued' : from === 'running' && isOver(to);
}
