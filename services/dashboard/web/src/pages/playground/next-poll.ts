import { ApiError } from '../../api/api-error';
import type { VideoStatus, VideoTask } from '../../api/playground';

/** The latest known state of a video task. */
export interface PollResult {
  readonly task?: VideoTask;
  readonly error?: unknown;
  /** Time of the last poll, successful or not. */
  readonly polledMs: number;
  /** Consecutive failed polls. */
  readonly failures: number;
}

interface Awaited {
  readonly task_id: string;
  readonly startedMs: number;
}

const MIN_INTERVAL_MS = 3_000;
const MAX_INTERVAL_MS = 15_000;
/** Polls count against the key's requests per minute: the older a task, the longer its interval. */
const INTERVALS_PER_AGE = 5;
const MAX_FAILING_INTERVAL_MS = 120_000;
const IN_PROGRESS_STATUSES: readonly VideoStatus[] = ['queued', 'running'];

const isInProgress = (task: VideoTask | undefined): boolean =>
  !task || IN_PROGRESS_STATUSES.includes(task.status);

/** An ended login and a rate limit. */
const TRANSIENT_STATUSES: readonly number[] = [401, 429];

/** Polling can stop: the task has ended, or may not be read. */
const isOver = ({ task, error }: PollResult): boolean =>
  error === undefined
    ? !isInProgress(task)
    : error instanceof ApiError &&
      error.status >= 400 &&
      error.status < 500 &&
      !TRANSIENT_STATUSES.includes(error.status);

/** Returns the next task to poll and the time to wait: one task at a time, the longest overdue first. */
export function nextPoll(
  tasks: readonly Awaited[],
  results: ReadonlyMap<string, PollResult>,
  nowMs: number,
): { taskId: string; waitMs: number } | undefined {
  let next: { taskId: string; dueMs: number } | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const { task_id: taskId, startedMs } of tasks) {
    const last = results.get(taskId);
    lastMs = Math.max(lastMs, last?.polledMs ?? lastMs);
    if (last && isOver(last)) continue;
    const dueMs = last ? last.polledMs + intervalMsOf(last, startedMs) : startedMs;
    if (!next || dueMs < next.dueMs) next = { taskId, dueMs };
  }
  if (!next) return undefined;
  const freeMs = lastMs + MIN_INTERVAL_MS;
  return { taskId: next.taskId, waitMs: Math.max(0, next.dueMs - nowMs, freeMs - nowMs) };
}

function intervalMsOf({ polledMs, failures, error }: PollResult, startedMs: number): number {
  const normalMs = Math.min(
    Math.max((polledMs - startedMs) / INTERVALS_PER_AGE, MIN_INTERVAL_MS),
    MAX_INTERVAL_MS,
  );
  const retryAfterMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(retryAfterMs, Math.min(normalMs * 2 ** failures, MAX_FAILING_INTERVAL_MS));
}
