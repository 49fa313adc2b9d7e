import { canTransition, type TaskState } from './task';
import { billableMs, videoCostNano } from './video-price';
import type { TaskReport } from './video-provider';

/** What determines how a task continues. */
export interface TaskProgress {
  readonly state: TaskState;
  /** Since its creation. */
  readonly ageMs: number;
  readonly requestedMs: bigint;
  readonly perSecondNano: bigint;
  readonly problems: PollProblems;
}

/** Problems so far, from poll to poll. */
export interface PollProblems {
  /** Consecutive failed polls. */
  readonly failedPolls: number;
  /** Polls that reported it as completed with seconds that can't be billed. */
  readonly unpricedPolls: number;
  /** For how long its provider has not known it. */
  readonly unknownMs: number;
}

export const NO_PROBLEMS: PollProblems = { failedPolls: 0, unpricedPolls: 0, unknownMs: 0 };

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
      readonly problems: PollProblems;
      readonly waitMs: number;
    }
  | { readonly kind: 'end'; readonly state: TaskState; readonly bill: TaskBill; readonly detail?: string };

export interface PollSettings {
  /** Time between two polls of a new task, and the minimum between any two. */
  readonly intervalMs: number;
  /** Age at which a task is given up. */
  readonly giveUpMs: number;
}

const MAX_INTERVALS = 5;
const MAX_FAILED_INTERVALS = 10;
/** Number of polls in a task's age so far. */
const POLLS_PER_AGE = 20;
const MAX_UNPRICED_POLLS = 5;
/** Ten minutes at the default interval: a provider's front end may temporarily not know a task. */
const UNKNOWN_INTERVALS = 200;

/** Maximum between two polls of any task. */
export const longestWaitMs = ({ intervalMs }: Pick<PollSettings, 'intervalMs'>): number =>
  intervalMs * Math.max(MAX_INTERVALS, MAX_FAILED_INTERVALS);

/** Decides after a poll; undefined: the poll failed. */
export function nextStep(
  task: TaskProgress,
  report: TaskReport | undefined,
  settings: PollSettings,
): TaskStep {
  const { problems } = task;
  const gaveUp: TaskStep = { kind: 'end', state: 'expired', bill: { outcome: 'lost' } };
  if (report === undefined) {
    if (task.ageMs >= settings.giveUpMs) return gaveUp;
    return waitOn(task, settings, { ...problems, failedPolls: problems.failedPolls + 1 });
  }
  if (report.state === 'completed') return complete(task, report, settings);
  if (task.ageMs >= settings.giveUpMs) return gaveUp;
  if (report.state === 'unknown') return missing(task, settings);
  if (report.state === 'queued' || report.state === 'running') {
    return waitOn(task, settings, NO_PROBLEMS, report.state);
  }
  const { state, detail } = report;
  return { kind: 'end', state, bill: { outcome: 'released' }, ...(detail !== undefined && { detail }) };
}

function complete(task: TaskProgress, { seconds }: TaskReport, settings: PollSettings): TaskStep {
  const { problems, requestedMs, perSecondNano } = task;
  const billedMs = seconds === undefined ? undefined : billableMs(seconds);
  if (seconds !== undefined && billedMs === undefined && problems.unpricedPolls + 1 < MAX_UNPRICED_POLLS) {
    const unpricedPolls = problems.unpricedPolls + 1;
    return waitOn(task, settings, { ...NO_PROBLEMS, unpricedPolls }, 'running');
  }
  const videoMs = billedMs ?? requestedMs;
  const source = billedMs === undefined ? 'counted' : 'provider';
  const costNano = videoCostNano(videoMs, perSecondNano);
  return { kind: 'end', state: 'completed', bill: { outcome: 'settled', costNano, videoMs, source } };
}

function missing(task: TaskProgress, settings: PollSettings): TaskStep {
  const waitMs = usualWaitMs(task.ageMs, settings.intervalMs);
  const unknownMs = task.problems.unknownMs + waitMs;
  if (unknownMs <= UNKNOWN_INTERVALS * settings.intervalMs) {
    return waitOn(task, settings, { ...NO_PROBLEMS, unknownMs });
  }
  const detail = 'the provider does not know this task any more';
  return { kind: 'end', state: 'expired', bill: { outcome: 'lost' }, detail };
}

function waitOn(
  task: TaskProgress,
  { intervalMs }: PollSettings,
  problems: PollProblems,
  reported: TaskState = task.state,
): TaskStep {
  const failedMs = problems.failedPolls === 0 ? 0 : intervalMs * 2 ** Math.min(problems.failedPolls - 1, 10);
  const usualMs = problems.unpricedPolls > 0 ? intervalMs : usualWaitMs(task.ageMs, intervalMs);
  const waitMs = Math.max(usualMs, Math.min(failedMs, intervalMs * MAX_FAILED_INTERVALS));
  const state = canTransition(task.state, reported) ? reported : task.state;
  return { kind: 'wait', state, problems, waitMs };
}

/** New tasks every interval, old ones every few intervals. */
function usualWaitMs(ageMs: number, intervalMs: number): number {
  const wanted = Math.round(ageMs / POLLS_PER_AGE);
  return Math.min(Math.max(wanted, intervalMs), intervalMs * MAX_INTERVALS);
}
