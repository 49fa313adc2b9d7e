import { ApiError } from '../../api/api-error';
import type { VideoStatus, VideoTask } from '../../api/playground';

/** What was seen of a task that was ordered. */
export interface Look {
  readonly task?: VideoTask;
  readonly error?: unknown;
  /** When it was seen last, or tried to. */
  readonly lookedMs: number;
  /** Looks that failed, in a row. */
  readonly failures: number;
}

interface Awaited {
  readonly task_id: string;
  readonly startedMs: number;
}

const LEAST_PAUSE_MS = 3_000;
const MOST_PAUSE_MS = 15_000;
/** A look counts against the key's requests per minute: a task is looked at the less, the longer it has taken. */
const PART_OF_AGE = 5;
const MOST_FAILING_PAUSE_MS = 120_000;
const UNDER_WAY: readonly VideoStatus[] = ['queued', 'running'];

const isUnderWay = (task: VideoTask | undefined): boolean => !task || UNDER_WAY.includes(task.status);

/** Of a login that has ended, and of too many calls. */
const PASSING: readonly number[] = [401, 429];

/** Nothing more comes of looking: the task has ended, or may not be asked for. */
const isOver = ({ task, error }: Look): boolean =>
  error === undefined
    ? !isUnderWay(task)
    : error instanceof ApiError &&
      error.status >= 400 &&
      error.status < 500 &&
      !PASSING.includes(error.status);

/** Which task is to be looked at next, and how soon: one at a time, whichever has waited longest for its turn. */
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
