import type { Directive } from './directive';
import type { ImageFormat } from './files/image';
import type { Size } from './files/size';
import type { Upload } from './media-usage';

/** A task's state, independent of the provider's name for it. `refused`: by the content policy, after it was accepted. */
export type TaskState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired' | 'refused';

/** The image or video that a task generates. */
export interface Job {
  readonly text: string;
  readonly format: ImageFormat | 'mp4';
  readonly size: Size;
  /** Seconds of video; 0 for an image. */
  readonly seconds: number;
  readonly tier: string | null;
  readonly uploads: readonly Upload[];
}

export interface Task {
  readonly provider: string;
  /** In the provider's format. */
  readonly id: string;
  /** A second id, chosen by the caller. */
  readonly callerTaskId?: string;
  readonly model: string;
  /** Request id of the submitting call. */
  readonly requestId: string | null;
  readonly job: Job;
  readonly submittedAtMs: number;
  readonly endsAtMs: number;
  readonly outcome: TaskOutcome;
  readonly urlTtlMs: number;
}

export interface TaskOutcome {
  readonly state: TaskState;
  /** A status name without a state of its own, reported as it is. */
  readonly statusName?: string;
}

const DEFAULT_TASK_SECONDS = 1;
const DEFAULT_URL_SECONDS = 600;
/** A task is queued for a fifth of its duration. */
const QUEUE_SHARE = 5;

export const taskMs = ({ task_seconds = DEFAULT_TASK_SECONDS }: Directive) => task_seconds * 1_000;
export const urlTtlMs = ({ url_seconds = DEFAULT_URL_SECONDS }: Directive) => url_seconds * 1_000;

/** @param statusNames the provider's name of each state; `task_status` is one of them, a state, or any other text */
export function outcomeOf(
  { task_status, policy }: Directive,
  statusNames: Readonly<Record<TaskState, string>>,
): TaskOutcome {
  if (task_status === undefined) return { state: policy === true ? 'refused' : 'succeeded' };
  const states = Object.keys(statusNames) as TaskState[];
  const state = states.find((known) => known === task_status || statusNames[known] === task_status);
  return state === undefined ? { state: 'failed', statusName: task_status } : { state };
}

/** Returns the state at a time. The directive's outcome applies from the end; with outcome `queued` the task never runs. */
export function stateOf({ submittedAtMs, endsAtMs, outcome }: Task, nowMs: number): TaskState {
  if (nowMs >= endsAtMs || outcome.state === 'queued') return outcome.state;
  return (nowMs - submittedAtMs) * QUEUE_SHARE < endsAtMs - submittedAtMs ? 'queued' : 'running';
}

export const isOver = (state: TaskState) => state !== 'queued' && state !== 'running';
