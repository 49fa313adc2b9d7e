/** States of a video task as callers see them. */
export const TASK_STATES = ['queued', 'running', 'completed', 'failed', 'canceled', 'expired'] as const;

export type TaskState = (typeof TASK_STATES)[number];

/** Final states. */
export const isOver = (state: TaskState): boolean => state !== 'queued' && state !== 'running';

/** A task never returns to the queue, and a final state never changes. */
export function canTransition(from: TaskState, to: TaskState): boolean {
  return from === 'queued' ? to !== 'queued' : from === 'running' && isOver(to);
}
