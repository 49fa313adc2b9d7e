import type { Job, Task, TaskState } from '../domain/task';
import type { ParsedRequest } from './handle-call';
import type { Identity, ProviderProtocol } from './protocol';
import type { ProviderError } from './provider-error';

export interface TaskRequest extends ParsedRequest {
  readonly job: Job;
  /** By which its caller can ask for the task, too. */
  readonly callerTaskId?: string;
}

/** A look at a task. */
export interface TaskView {
  readonly task: Task;
  readonly state: TaskState;
  /** The state in the provider's words, or what the directive put in their place. */
  readonly statusName: string;
  /** Of the result, once there is one: new at each look, and good for a while. */
  readonly url: string | null;
  /** Of the look, not of the task. */
  readonly id: string;
  readonly origin: string;
}

/** One provider's way with tasks; their course is the same for all. */
export interface TaskProtocol<R extends TaskRequest> extends ProviderProtocol {
  readonly statusNames: Readonly<Record<TaskState, string>>;
  /** @param id 32 hex digits; what the provider would call such a task */
  toTaskId(id: string, request: R): string;
  /** @param taskId undefined where success is to be told without one */
  toAccepted(context: Accepted<R>): unknown;
  toView(view: TaskView): unknown;
  unknownTask(taskId: string): ProviderError;
}

export interface Accepted<R extends TaskRequest> {
  readonly request: R;
  readonly taskId: string | undefined;
  readonly identity: Identity;
  readonly nowMs: number;
  /** Where the caller found the simulator. */
  readonly origin: string;
}
