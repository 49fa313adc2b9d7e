import { isOver, type TaskState } from '../../domain/task';
import { retryAfterHeader } from '../headers';
import type { Provider, ProviderDeps } from '../provider';
import { toDigits } from '../task-id';
import type { Accepted, TaskProtocol, TaskRequest, TaskView } from '../task-protocol';
import { createTaskProvider } from '../task-provider';
import { contentPolicy, errorOfStatus } from './error';
import { checkToken } from './token';
import { type KlingAction, parseVideoRequest } from './video-request';

const VIDEOS_PATH = /^\/v1\/videos\/(text2video|image2video)(?:\/([\w-]{1,64}))?$/;

/** @param secret with which callers sign their tokens */
export const createKling = (deps: ProviderDeps, secret: string): Provider =>
  createTaskProvider(deps, videoProtocol(secret, deps.nowMs), {
    polledTask: (path) => VIDEOS_PATH.exec(path)?.[2],
    parserFor(path) {
      const [, action, taskId] = VIDEOS_PATH.exec(path) ?? [];
      if (action === undefined || taskId !== undefined) return undefined;
      return (body) => parseVideoRequest(body, action as KlingAction);
    },
  });

function videoProtocol(secret: string, nowMs: () => number): TaskProtocol<TaskRequest> {
  return {
    provider: 'kling',
    overloadedStatus: 503,
    errorsWithStatus200: true,
    statusNames: {
      queued: 'submitted',
      running: 'processing',
      succeeded: 'succeed',
      failed: 'failed',
      cancelled: 'failed',
      expired: 'failed',
      refused: 'failed',
    },
    authorize: ({ req }) => checkToken(req.headers.authorization, secret, nowMs()),
    headers: retryAfterHeader,
    errorOfStatus,
    contentPolicy,
    toTaskId: (id) => toDigits(id, 18),
    toAccepted,
    toView,
    unknownTask: () => errorOfStatus(404),
  };
}

function toAccepted({ taskId, identity, nowMs }: Accepted<TaskRequest>) {
  return success(identity.id, {
    ...(taskId === undefined ? {} : { task_id: taskId }),
    task_status: 'submitted',
    task_info: {},
    created_at: nowMs,
    updated_at: nowMs,
  });
}

function toView({ task, state, statusName, url, id }: TaskView) {
  const videos = [{ id: `${task.id}0`, url, duration: task.job.seconds.toFixed(1) }];
  return success(id, {
    task_id: task.id,
    task_status: statusName,
    task_status_msg: MESSAGES[state] ?? '',
    task_info: {},
    created_at: task.submittedAtMs,
    updated_at: isOver(state) ? task.endsAtMs : task.submittedAtMs,
    ...(url === null ? {} : { task_result: { videos } }),
  });
}

const MESSAGES: Partial<Record<TaskState, string>> = {
  failed: 'Generation failed',
  cancelled: 'Cancelled',
  expired: 'Expired',
  refused: 'Failure to pass the risk control system',
};

function success(requestId: string, data: object) {
  return { code: 0, message: 'SUCCEED', request_id: requestId, data };
}
