import { mayMove, type TaskState } from './task';
import { billableMs, videoCostNano } from './video-price';
import type { TaskReport } from './video-provider';

/** What determines how a task continues. */
export interface TaskSoFar {
  readonly state: TaskState;
  /** Since its creation. */
  readonly ageMs: number;
  readonly requestedMs: bigint;
  readonly perSecondNano: bigint;
  readonly trouble: TaskTrouble;
}

/** Problems so far, from poll to poll. */
export interface TaskTrouble {
  /** Consecutive failed polls. */
  readonly failedLooks: number;
  /** Polls that reported it as completed with seconds that can't be billed. */
  readonly unpricedLooks: number;
  /** For how long its provider has not known it. */
  readonly unknownMs: number;
}

export const NO_TROUBLE: TaskTrouble = { failedLooks: 0, unpricedLooks: 0, unknownMs: 0 };

/** How its bill ends. */
export type TaskBill =
  | {
      readonly outcome: 'settled';
      readonly costNano: bigint;
      readonly videoMs: bigint;
      /** Source of the seconds; without the provider's figure, the requested ones. */
      readonly source: 'provider' | 'counted';
    }
  | { readonly outcome: 'released' }
  /** Whether the provider charges for it is unknown. */
  | { readonly outcome: 'lost' };

export type TaskStep =
  | {
      readonly kind: 'wait';
      readonly state: TaskState;
      readonly trouble: TaskTrouble;
      readonly waitMs: number;
    }
  | { readonly kind: 'end'; readonly state: TaskState; readonly bill: TaskBill; readonly detail?: string };

export interface CourseSettings {
  /** Time between two polls of a new task, and the minimum between any two. */
  readonly intervalMs: number;
  /** Age at which a task is given up. */
  readonly giveUpMs: number;
}

const MAX_INTERVALS = 5;
const MAX_FAILED_INTERVALS = 10;
/** Number of polls in a task's age so far. */
const LOOKS_PER_AGE = 20;
const UNPRICED_LOOKS = 5;
/** Ten minutes at the default interval: a provider's front end may temporarily not know a task. */
const UNKNOWN_INTERVALS = 200;

/** Maximum between two polls of any task. */
export const longestWaitMs = ({ intervalMs }: Pick<CourseSettings, 'intervalMs'>): number =>
  intervalMs * Math.max(MAX_INTERVALS, MAX_FAILED_INTERVALS);

/** Decides after a poll; undefined: the poll failed. */
export function nextStep(
  task: TaskSoFar,
  report: TaskReport | undefined,
  settings: CourseSettings,
): TaskStep {
  const { trouble } = task;
  const gaveUp: TaskStep = { kind: 'end', state: 'expired', bill: { outcome: 'lost' } };
  if (report === undefined) {
    if (task.ageMs >= settings.giveUpMs) return gaveUp;
    return waitOn(task, settings, { ...trouble, failedLooks: trouble.failedLooks + 1 });
  }
  if (report.state === 'completed') return complete(task, report, settings);
  if (task.ageMs >= settings.giveUpMs) return gaveUp;
  if (report.state === 'unknown') return missing(task, settings);
  if (report.state === 'queued' || report.state === 'running') {
    return waitOn(task, settings, NO_TROUBLE, report.state);
  }
  const { state, detail } = report;
  return { kind: 'end', state, bill: { outcome: 'released' }, ...(detail !== undefined && { detail }) };
}

function complete(task: TaskSoFar, { seconds }: TaskReport, settings: CourseSettings): TaskStep {
  const { trouble, requestedMs, perSecondNano } = task;
  const told = seconds === undefined ? undefined : billableMs(seconds);
  if (seconds !== undefined && told === undefined && trouble.unpricedLooks + 1 < UNPRICED_LOOKS) {
    const unpricedLooks = trouble.unpricedLooks + 1;
    return waitOn(task, settings, { ...NO_TROUBLE, unpricedLooks }, 'running');
  }
  const videoMs = told ?? requestedMs;
  const source = told === undefined ? 'counted' : 'provider';
  const costNano = videoCostNano(videoMs, perSecondNano);
  return { kind: 'end', state: 'completed', bill: { outcome: 'settled', costNano, videoMs, source } };
}

function missing(task: TaskSoFar, settings: CourseSettings): TaskStep {
  const waitMs = usualWaitMs(task.ageMs, settings.intervalMs);
  const unknownMs = task.trouble.unknownMs + waitMs;
  if (unknownMs <= UNKNOWN_INTERVALS * settings.intervalMs) {
    return waitOn(task, settings, { ...NO_TROUBLE, unknownMs });
  }
  const detail = 'the provider does not know this task any more';
  return { kind: 'end', state: 'expired', bill: { outcome: 'lost' }, detail };
}

function waitOn(
  task: TaskSoFar,
  { intervalMs }: CourseSettings,
  trouble: TaskTrouble,
  told: TaskState = task.state,
): TaskStep {
  const failedMs = trouble.failedLooks === 0 ? 0 : intervalMs * 2 ** Math.min(trouble.failedLooks - 1, 10);
  const usualMs = trouble.unpricedLooks > 0 ? intervalMs : usualWaitMs(task.ageMs, intervalMs);
  const waitMs = Math.max(usualMs, Math.min(failedMs, intervalMs * MAX_FAILED_INTERVALS));
  const state = mayMove(task.state, told) ? told : task.state;
  return { kind: 'wait', state, trouble, waitMs };
}

/** New tasks every interval, old ones every few intervals. */
function usualWaitMs(ageMs: number, intervalMs: number): number {
  const wanted = Math.round(ageMs / LOOKS_PER_AGE);
  return Math.min(Math.max(wanted, intervalMs), intervalMs * MAX_INTERVALS);
}
