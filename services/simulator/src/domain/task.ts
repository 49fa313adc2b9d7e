import type { Directive } from './directive';
import type { ImageFormat } from './files/image';
import type { Size } from './files/size';
import type { Upload } from './media-usage';

/** Whatever a provider calls it. `refused`: by content policy, once it was accepted. */
export type TaskState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired' | 'refused';

/** What a task is to make. */
export interface Job {
  readonly text: string;
  readonly format: ImageFormat | 'mp4';
  readonly size: Size;
  /** Of video; 0 for an image. */
  readonly seconds: number;
  readonly tier: string | null;
  readonly uploads: readonly Upload[];
}

export interface Task {
  readonly provider: string;
  /** In the provider's own shape. */
  readonly id: string;
  /** By which its caller can ask for it, too. */
  readonly callerTaskId?: string;
  readonly model: string;
  /** Of the call that submitted it. */
  readonly requestId: string | null;
  readonly job: Job;
  readonly submittedAtMs: number;
  readonly endsAtMs: number;
  readonly outcome: TaskOutcome;
  readonly urlTtlMs: number;
}

export interface TaskOutcome {
  readonly state: TaskState;
  /** A word that the provider has for no state; it is told as it is. */
  readonly statusName?: string;
}

const DEFAULT_TASK_SECONDS = 1;
const DEFAULT_URL_SECONDS = 600;
/** A task waits for a fifth of its time. */
const QUEUE_SHARE = 5;

export const taskMs = ({ task_seconds = DEFAULT_TASK_SECONDS }: Directive) => task_seconds * 1_000;
export const urlTtlMs = ({ url_seconds = DEFAULT_URL_SECONDS }: Directive) => url_seconds * 1_000;

/** @param words the provider's for each state; `task_status` is one of them, a state, or any other word */
export function outcomeOf(
  { task_status, policy }: Directive,
  statusNames: Readonly<Record<TaskState, string>>,
): TaskOutcome {
  if (task_status === undefined) return { state: policy === true ? 'refused' : 'succeeded' };
  const states = Object.keys(statusNames) as TaskState[];
  const state = states.find((known) => known === task_status || statusNames[known] === task_status);
  return state === undefined ? { state: 'failed', statusName: task_status } : { state };
}

/** What the directive made of it rules from the end on, and a task that is to stay in the queue does not leave it. */
export function stateOf({ submittedAtMs, endsAtMs, outcome }: Task, nowMs: number): TaskState {
  if (nowMs >= endsAtMs || outcome.state === 'queued') return outcome.state;
  return (nowMs - submittedAtMs) * QUEUE_SHARE < endsAtMs - submittedAtMs ? 'queued' : 'running';
}

export const isOver = (state: TaskState) => state !== 'queued' && state !== 'running';
