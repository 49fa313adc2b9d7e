import { sizeText } from '../domain/files/size';
import { NO_MEDIA } from '../domain/media-usage';
import type { CallOutcome } from '../domain/meter';
import { outcomeOf, stateOf, type Task, taskMs, urlTtlMs } from '../domain/task';
import { NO_USAGE } from '../domain/usage';
import type { Call } from '../http/call';
import {
  type Exchange,
  handleLookup,
  handleMetered,
  readJson,
  requestIdOf,
  sendJsonReply,
} from './handle-call';
import type { ProviderDeps } from './provider';
import { resultUrl } from './result-files';
import type { TaskProtocol, TaskRequest } from './task-protocol';

/** Handles a call that starts a task. The call is free; the task is metered when it has succeeded. */
export function handleTaskSubmit<R extends TaskRequest>(
  call: Call,
  deps: ProviderDeps,
  protocol: TaskProtocol<R>,
  parse: (body: unknown) => R,
): Promise<void> {
  return handleMetered(call, deps, protocol, () => readJson(call, deps, protocol, parse), submit);
}

/** Handles a poll of a task. It is not metered. */
export function handleTaskPoll<R extends TaskRequest>(
  call: Call,
  deps: ProviderDeps,
  protocol: TaskProtocol<R>,
  taskId: string,
): void {
  handleLookup(call, deps, protocol, (id) => {
    const task = deps.tasks.find(protocol.provider, taskId);
    if (task === undefined) throw protocol.unknownTask(taskId);
    const nowMs = deps.nowMs();
    const state = stateOf(task, nowMs);
    const statusName =
      nowMs >= task.endsAtMs
        ? (task.outcome.statusName ?? protocol.statusNames[state])
        : protocol.statusNames[state];
    const origin = originOf(call);
    const url = state === 'succeeded' ? resultUrl(origin, task, nowMs) : null;
    return protocol.toView({ task, state, statusName, url, id, origin });
  });
}

function submit<R extends TaskRequest>(exchange: Exchange<R, TaskProtocol<R>>): CallOutcome {
  const { call, deps, protocol, request, directive, identity } = exchange;
  const taskId = directive.omit_task_id === true ? undefined : protocol.toTaskId(identity.id, request);
  const nowMs = deps.nowMs();
  if (taskId !== undefined && !deps.tasks.add(toTask(exchange, taskId, nowMs))) {
    throw protocol.errorOfStatus(protocol.overloadedStatus);
  }
  const body = protocol.toAccepted({ request, taskId, identity, nowMs, origin: originOf(call) });
  const { size, tier, uploads } = request.job;
  const media = { ...NO_MEDIA, size: sizeText(size), tier, uploads, taskId: taskId ?? null };
  return sendJsonReply(exchange, body, 1, { usage: NO_USAGE, media });
}

function toTask<R extends TaskRequest>(
  { call, protocol, request, directive }: Exchange<R, TaskProtocol<R>>,
  id: string,
  nowMs: number,
): Task {
  const seconds = request.job.format === 'mp4' ? (directive.seconds ?? request.job.seconds) : 0;
  return {
    provider: protocol.provider,
    id,
    ...(request.callerTaskId !== undefined && { callerTaskId: request.callerTaskId }),
    model: request.model,
    requestId: requestIdOf(call),
    job: { ...request.job, seconds },
    submittedAtMs: nowMs,
    endsAtMs: nowMs + taskMs(directive),
    outcome: outcomeOf(directive, protocol.statusNames),
    urlTtlMs: urlTtlMs(directive),
  };
}

function originOf({ req }: Call): string {
  return `http://${req.headers.host ?? 'localhost'}`;
}
