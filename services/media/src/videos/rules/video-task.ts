import type { PollProblems } from './next-step';
import type { TaskState } from './task';

/** A video task: accepted by its provider, known to the caller by an id of ours. */
export interface NewTask {
  readonly id: string;
  /** The call that created it: its hold and its bill. */
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly provider: string;
  /** The provider's credential that created it. Absent: not known, because an earlier version created it. */
  readonly credentialId?: string;
  readonly upstreamModel: string;
  readonly upstreamId: string;
  readonly tier: string;
  readonly requestedMs: bigint;
  /** Fixed at admission. */
  readonly perSecondNano: bigint;
}

/** What is needed to follow the task of an order whose response was lost. */
export type RecoverableTask = Pick<
  NewTask,
  'credentialId' | 'upstreamModel' | 'upstreamId' | 'tier' | 'requestedMs' | 'perSecondNano'
> & {
  /** Its id here; absent if an earlier version created it. */
  readonly taskId?: string;
};

export interface VideoTask extends NewTask {
  readonly state: TaskState;
  readonly createdAtMs: number;
  readonly endedAtMs?: number;
  /** Of a completed task: its cost, of which at most its hold is charged. */
  readonly costNano?: bigint;
  readonly videoMs?: bigint;
  readonly detail?: string;
  readonly problems: PollProblems;
}

/** A task that this process may poll until its lease expires. */
export interface ClaimedTask extends VideoTask {
  readonly claim: bigint;
  readonly ageMs: number;
}
