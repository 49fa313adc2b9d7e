import type { TaskState } from './task';
import type { TaskTrouble } from './task-course';

/** A video that was ordered: accepted by its provider, and known to the caller by an id of ours. */
export interface NewTask {
  readonly id: string;
  /** The call that created it: its hold and its bill. */
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly upstreamId: string;
  readonly tier: string;
  readonly requestedMs: bigint;
  /** Fixed on admission. */
  readonly perSecondNano: bigint;
}

/** What has to be known of an order to follow its task, should nobody have been told the task's id. */
export type SoughtTask = Pick<
  NewTask,
  'upstreamModel' | 'upstreamId' | 'tier' | 'requestedMs' | 'perSecondNano'
> & {
  /** Its id here; absent where an earlier version ordered it. */
  readonly taskId?: string;
};

export interface VideoTask extends NewTask {
  readonly state: TaskState;
  readonly createdAtMs: number;
  readonly endedAtMs?: number;
  /** Of a completed one: what it cost, though no more than its hold is charged. */
  readonly costNano?: bigint;
  readonly videoMs?: bigint;
  readonly detail?: string;
  readonly trouble: TaskTrouble;
}

/** A task that this process may look at, until its lease ends. */
export interface ClaimedTask extends VideoTask {
  readonly claim: bigint;
  readonly ageMs: number;
}
