import { sizeText } from './files/size';
import { type MediaUsage, NO_MEDIA } from './media-usage';
import type { Meter } from './meter';
import { isOver, stateOf, type Task } from './task';

export interface TaskLimits {
  readonly tasks: number;
  /** Total characters of the prompts of all tasks. */
  readonly chars: number;
  readonly ageMs: number;
}

/**
 * The tasks of all providers. Nothing runs in the background: the state of a task is computed from the clock when it is
 * read, and its end is recorded, once, before the meter is read.
 */
export class TaskStore {
  /** Oldest first. */
  readonly #tasks = new Map<string, Task>();
  readonly #running = new Set<Task>();
  /** Tasks by the id that the caller chose. */
  readonly #named = new Map<string, Task>();
  #chars = 0;

  constructor(
    private readonly meter: Meter,
    private readonly nowMs: () => number,
    private readonly limits: TaskLimits,
  ) {}

  /** Returns false if unfinished tasks leave no capacity for it. */
  add(task: Task): boolean {
    this.settle();
    this.#dropOld();
    while (!this.#hasRoom(task)) if (!this.#dropEnded()) return false;
    this.#chars += task.job.text.length;
    this.#tasks.set(keyOf(task.provider, task.id), task);
    this.#running.add(task);
    if (task.callerTaskId !== undefined) this.#named.set(keyOf(task.provider, task.callerTaskId), task);
    return true;
  }

  find(provider: string, id: string): Task | undefined {
    this.#dropOld();
    return this.#tasks.get(keyOf(provider, id)) ?? this.#named.get(keyOf(provider, id));
  }

  /** Records all tasks that have ended, in the order of their ends. */
  settle(): void {
    const nowMs = this.nowMs();
    const ended = [...this.#running].filter((task) => task.endsAtMs <= nowMs && isOver(task.outcome.state));
    for (const task of ended.sort((a, b) => a.endsAtMs - b.endsAtMs)) {
      this.#running.delete(task);
      const { provider, model, requestId } = task;
      const succeeded = task.outcome.state === 'succeeded';
      const media = succeeded ? billOf(task) : { ...NO_MEDIA, taskId: task.id };
      this.meter.endTask(
        task.endsAtMs,
        { provider, model, requestId, stream: false, signedParts: 0 },
        succeeded,
        media,
      );
    }
  }

  #hasRoom({ job }: Task): boolean {
    return this.#tasks.size < this.limits.tasks && this.#chars + job.text.length <= this.limits.chars;
  }

  #dropOld(): void {
    const oldestMs = this.nowMs() - this.limits.ageMs;
    for (const [key, task] of this.#tasks) {
      if (task.submittedAtMs > oldestMs) return;
      this.settle();
      this.#forget(key, task);
    }
  }

  #dropEnded(): boolean {
    for (const [key, task] of this.#tasks) {
      if (!isOver(stateOf(task, this.nowMs()))) continue;
      this.#forget(key, task);
      return true;
    }
    return false;
  }

  #forget(key: string, task: Task): void {
    this.#tasks.delete(key);
    if (task.callerTaskId !== undefined) this.#named.delete(keyOf(task.provider, task.callerTaskId));
    this.#chars -= task.job.text.length;
    this.#running.delete(task);
  }
}

const keyOf = (provider: string, id: string) => `${provider}/${id}`;

function billOf({ id, job }: Task): MediaUsage {
  const made = job.format === 'mp4' ? { seconds: job.seconds, tier: job.tier } : { images: 1 };
  return { ...NO_MEDIA, ...made, size: sizeText(job.size), uploads: job.uploads, taskId: id };
}
