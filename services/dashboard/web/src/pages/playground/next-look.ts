import { ApiError } from '../../api/api-error';
import type { VideoStatus, VideoTask } from '../../api/playground';

/** The latest known state of a video task. */
export interface Look {
  readonly task?: VideoTask;
  readonly error?: unknown;
  /** Time of the last poll, successful or not. */
  readonly lookedMs: number;
  /** Consecutive failed polls. */
  readonly failures: number;
}

interface Awaited {
  readonly task_id: string;
  readonly startedMs: number;
}

const LEAST_PAUSE_MS = 3_000;
const MOST_PAUSE_MS = 15_000;
/** Polls count against the key's requests per minute: the older a task, the longer its interval. */
const PART_OF_AGE = 5;
const MOST_FAILING_PAUSE_MS = 120_000;
const UNDER_WAY: readonly VideoStatus[] = ['queued', 'running'];

const isUnderWay = (task: VideoTask | undefined): boolean => !task || UNDER_WAY.includes(task.status);

/** An ended login and a rate limit. */
const PASSING: readonly number[] = [401, 429];

/** Polling can stop: the task has ended, or may not be read. */
const isOver = ({ task, error }: Look): boolean =>
  error === undefined
    ? !isUnderWay(task)
    : error instanceof ApiError &&
      error.status >= 400 &&
      error.status < 500 &&
      !PASSING.includes(error.status);

/** Returns the next task to poll and the time to wait: one task at a time, the longest overdue first. */
export function nextLook(
  tasks: readonly Awaited[],
  looks: ReadonlyMap<string, Look>,
  nowMs: number,
): { taskId: string; waitMs: number } | undefined {
  let next: { taskId: string; dueMs: number } | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const { task_id: taskId, startedMs } of tasks) {
    const look = looks.get(taskId);
    lastMs = Math.max(lastMs, look?.lookedMs ?? lastMs);
    if (look && isOver(look)) continue;
    const dueMs = look ? look.lookedMs + pauseMsOf(look, startedMs) : startedMs;
    if (!next || dueMs < next.dueMs) next = { taskId, dueMs };
  }
  if (!next) return undefined;
  const freeMs = lastMs + LEAST_PAUSE_MS;
  return { taskId: next.taskId, waitMs: Math.max(0, next.dueMs - nowMs, freeMs - nowMs) };
}

function pauseMsOf({ lookedMs, failures, error }: Look, startedMs: number): number {
  const usualMs = Math.min(Math.max((lookedMs - startedMs) / PART_OF_AGE, LEAST_PAUSE_MS), MOST_PAUSE_MS);
  const toldMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(toldMs, Math.min(usualMs * 2 ** failures, MOST_FAILING_PAUSE_MS));
}
