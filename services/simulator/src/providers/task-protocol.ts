import type { Job, Task, TaskState } from '../domain/task';
import type { ParsedRequest } from './handle-call';
import type { Identity, ProviderProtocol } from './protocol';
import type { ProviderError } from './provider-error';

export interface TaskRequest extends ParsedRequest {
  readonly job: Job;
  /** A second id, by which the caller can poll the task. */
  readonly callerTaskId?: string;
}

/** What a poll of a task reports. */
export interface TaskView {
  readonly task: Task;
  readonly state: TaskState;
  /** The provider's name of the state, or what the directive set instead. */
  readonly statusName: string;
  /** Link to the result, once there is one: new at each poll, and valid for a limited time. */
  readonly url: string | null;
  /** Id of the poll, not of the task. */
  readonly id: string;
  readonly origin: string;
}

/** A provider's format of tasks; `handle-task.ts` contains what is common to all. */
export interface TaskProtocol<R extends TaskRequest> extends ProviderProtocol {
  readonly statusNames: Readonly<Record<TaskState, string>>;
  /** Returns the task's id in the provider's format. @param id 32 hex digits */
  toTaskId(id: string, request: R): string;
  /** @param context its taskId is undefined if the directive omits the id from the reply */
  toAccepted(context: Accepted<R>): unknown;
  toView(view: TaskView): unknown;
  unknownTask(taskId: string): ProviderError;
}

export interface Accepted<R extends TaskRequest> {
  readonly request: R;
  readonly taskId: string | undefined;
  readonly identity: Identity;
  readonly nowMs: number;
  /** The URL by which the caller reached the simulator. */
  readonly origin: string;
}
