import type { Call } from '../http/call';
import { sendError } from './handle-call';
import { handleTaskPoll, handleTaskSubmit } from './handle-task';
import type { Provider, ProviderDeps } from './provider';
import type { TaskProtocol, TaskRequest } from './task-protocol';

export interface TaskRoutes {
  /** Returns the id of the task that a GET of the path polls. */
  polledTask(path: string, call: Call): string | undefined;
  /** Returns the parser of the body that a POST to the path submits. */
  parserFor(path: string, call: Call): ((body: unknown) => TaskRequest) | undefined;
}

/** Creates a provider that is called by submitting tasks and polling them. */
export function createTaskProvider(
  deps: ProviderDeps,
  protocol: TaskProtocol<TaskRequest>,
  routes: TaskRoutes,
): Provider {
  return {
    name: protocol.provider,
    handle(call, path) {
      const { method } = call.req;
      const taskId = method === 'GET' ? routes.polledTask(path, call) : undefined;
      if (taskId !== undefined) return handleTaskPoll(call, deps, protocol, taskId);
      const parse = method === 'POST' ? routes.parserFor(path, call) : undefined;
      if (parse !== undefined) return handleTaskSubmit(call, deps, protocol, parse);
      return sendError(call, deps, protocol, protocol.errorOfStatus(404));
    },
  };
}
