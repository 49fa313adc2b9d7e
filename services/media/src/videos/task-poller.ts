import { type BilledCall, lostEvent, releasedEvent, type UsageEvent } from '@gateway/call-billing';
import type { Logger } from '@gateway/process';
import { settledEvent } from '../billing/rules/bill-event';
import { failureFacts } from '../calls/failure-facts';
import type { UpstreamTimeouts } from '../domain/upstream';
import type { TaskMetrics } from '../metrics';
import type { Tasks } from '../store/tasks';
import { accountsOfTask, pollTask, type VideoProviders } from './poll-task';
import { longestWaitMs, nextStep, type PollSettings, type TaskStep } from './rules/next-step';
import type { TaskReport } from './rules/video-provider';
import type { ClaimedTask } from './rules/video-task';

type EndStep = Extract<TaskStep, { kind: 'end' }>;

export interface TaskPollerDeps {
  readonly tasks: Tasks;
  readonly providers: VideoProviders;
  readonly settings: PollSettings;
  /** Concurrent polls per provider. */
  readonly pollsPerProvider: number;
  readonly timeouts: UpstreamTimeouts;
  /** Timeout of a poll. */
  readonly pollTimeoutMs: number;
  readonly metrics: TaskMetrics;
  readonly log: Logger;
  readonly nowMs: () => number;
  /** A bill has ended and is committed: deliver it. */
  readonly deliver: (event: UsageEvent) => void;
}

/** How often per interval due tasks are looked up. */
const TICKS_PER_INTERVAL = 12;
const MIN_TICK_MS = 20;
/** Added to the timeout of a poll for the work before and after it. */
const LEASE_MARGIN_MS = 5_000;
const HOUSEKEEPING_MS = 60_000;
const ORPHANED_BATCH = 100;
/** An instance without the provider waits this much longer before it gives up a task. */
const ORPHANED_AFTER_MS = 10 * 60_000;
const RETENTION_MS = 30 * 86_400_000;

/**
 * Polls every task to its end, whether or not a client asks for it. Instances share the work by leases on rows: the tasks
 * of an instance that dies are taken over when its leases expire.
 */
export class TaskPoller {
  readonly #deps: TaskPollerDeps;
  readonly #polls = new Map<string, Set<Promise<void>>>();
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #lastHousekeepingMs = Number.NEGATIVE_INFINITY;

  constructor(deps: TaskPollerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Resolves when no poll is in progress; unfinished polls are left to other instances. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake?.();
    await this.#loop;
    await this.#allPolls();
  }

  /** Polls the tasks that are due. */
  async runOnce(): Promise<void> {
    await this.#claim();
    await this.#allPolls();
  }

  get #leaseMs(): number {
    return this.#deps.pollTimeoutMs + LEASE_MARGIN_MS;
  }

  async #run(): Promise<void> {
    const { settings } = this.#deps;
    const tickMs = Math.max(MIN_TICK_MS, settings.intervalMs / TICKS_PER_INTERVAL);
    while (!this.#stopping.signal.aborted) {
      const isReachable = await this.#tick();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, isReachable ? tickMs : settings.intervalMs);
      });
    }
  }

  /** False: the database is unreachable. */
  async #tick(): Promise<boolean> {
    try {
      await this.#claim();
      await this.#runHousekeeping();
      return true;
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'due tasks not claimed');
      return false;
    }
  }

  async #claim(): Promise<void> {
    const { tasks, providers, pollsPerProvider } = this.#deps;
    const free = [...providers.ids()].flatMap((provider) => {
      const { size } = this.#pollsOf(provider);
      return size < pollsPerProvider ? [{ provider, tasks: pollsPerProvider - size }] : [];
    });
    if (free.length === 0) return;
    for (const task of await tasks.claimDue(free, this.#leaseMs)) {
      const polls = this.#pollsOf(task.provider);
      const poll = this.#poll(task).finally(() => polls.delete(poll));
      polls.add(poll);
    }
  }

  #pollsOf(provider: string): Set<Promise<void>> {
    let polls = this.#polls.get(provider);
    if (!polls) {
      polls = new Set();
      this.#polls.set(provider, polls);
    }
    return polls;
  }

  async #allPolls(): Promise<void> {
    await Promise.all([...this.#polls.values()].flatMap((polls) => [...polls]));
  }

  async #poll(task: ClaimedTask): Promise<void> {
    const { settings, log } = this.#deps;
    try {
      const report = await this.#askProvider(task);
      const gaveUp = this.#stopping.signal.aborted && report === undefined;
      await this.#apply(task, gaveUp ? leftToOthers(task) : nextStep(task, report, settings));
    } catch (error) {
      // The lease expires, and the task is polled again.
      log.error({ err: error, taskId: task.id }, 'result of a poll not stored');
    }
  }

  /** Undefined when the poll failed. */
  async #askProvider(task: ClaimedTask): Promise<TaskReport | undefined> {
    const { providers, timeouts, pollTimeoutMs, log, metrics } = this.#deps;
    const accounts = accountsOfTask(providers, task);
    if (accounts.length === 0) return undefined;
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(pollTimeoutMs)]);
    try {
      const report = await pollTask(accounts, task, { requestId: task.requestId, signal, timeouts });
      metrics.polled(task.provider, 'succeeded');
      return report;
    } catch (error) {
      metrics.polled(task.provider, 'failed');
      const facts = { taskId: task.id, provider: task.provider, ...failureFacts(error) };
      log.warn(facts, 'poll of a task failed');
      return undefined;
    }
  }

  async #apply(task: ClaimedTask, step: TaskStep): Promise<void> {
    const { tasks, log, metrics, nowMs, deliver } = this.#deps;
    if (step.kind === 'wait') return tasks.postpone(task, step);
    const end = await tasks.end(task, step, (call) => eventOf({ ...call, taskId: task.id }, step, nowMs()));
    if (!end.ended) return;
    metrics.ended(task.provider, step.state, task.ageMs / 1_000);
    if (end.event) deliver(end.event);
    else log.error({ taskId: task.id }, 'task ended after its bill had ended');
  }

  async #runHousekeeping(): Promise<void> {
    const { tasks, settings } = this.#deps;
    const nowMs = performance.now();
    if (nowMs - this.#lastHousekeepingMs < HOUSEKEEPING_MS) return;
    this.#lastHousekeepingMs = nowMs;
    await tasks.recall(Math.max(this.#leaseMs, longestWaitMs(settings)) + HOUSEKEEPING_MS);
    const olderThanMs = settings.giveUpMs + ORPHANED_AFTER_MS;
    const options = { olderThanMs, leaseMs: this.#leaseMs, limit: ORPHANED_BATCH };
    for (const task of await tasks.claimOrphaned(options)) {
      await this.#apply(task, nextStep(task, await this.#askProvider(task), settings));
    }
    await tasks.deleteOld(settings.giveUpMs + RETENTION_MS);
  }
}

/** Due immediately, as if it had not been polled. */
function leftToOthers({ state, problems }: ClaimedTask): TaskStep {
  return { kind: 'wait', state, problems, waitMs: 0 };
}

function eventOf(call: BilledCall, { bill, state }: EndStep, endedAtMs: number): UsageEvent {
  // The status that the client of create saw.
  const errorCode = state === 'completed' ? '' : 'video_generation_failed';
  const end = { status: 200, errorCode, endedAtMs, firstByteMs: 0 };
  if (bill.outcome === 'released') return releasedEvent(call, end);
  if (bill.outcome === 'lost') return lostEvent(call, end);
  const { costNano, videoMs, source } = bill;
  return settledEvent(call, end, { costNano, videoMs: Number(videoMs), source });
}
