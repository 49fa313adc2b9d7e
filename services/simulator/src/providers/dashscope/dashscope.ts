import { isOver } from '../../domain/task';
import { hasBearer, retryAfterHeader } from '../headers';
import type { Provider, ProviderDeps } from '../provider';
import { ProviderError } from '../provider-error';
import { toUuid } from '../task-id';
import type { Accepted, TaskProtocol, TaskRequest, TaskView } from '../task-protocol';
import { createTaskProvider } from '../task-provider';
import { errorOfStatus, notAsync } from './error';
import { parseVideoRequest } from './video-request';

const SUBMIT_PATH = '/api/v1/services/aigc/video-generation/video-synthesis';
const TASK_PATH = /^\/api\/v1\/tasks\/([\w-]{1,64})$/;

export const createDashScope = (deps: ProviderDeps): Provider =>
  createTaskProvider(deps, videoProtocol, {
    polledTask: (path) => TASK_PATH.exec(path)?.[1],
    parserFor(path, { req }) {
      if (path !== SUBMIT_PATH) return undefined;
      return (body) => {
        if (req.headers['x-dashscope-async'] !== 'enable') throw notAsync();
        return parseVideoRequest(body);
      };
    },
  });

/** Without `contentPolicy`: a refused task is reported as failed when it is polled. */
const videoProtocol: TaskProtocol<TaskRequest> = {
  provider: 'dashscope',
  overloadedStatus: 503,
  statusNames: {
    queued: 'PENDING',
    running: 'RUNNING',
    succeeded: 'SUCCEEDED',
    failed: 'FAILED',
    cancelled: 'CANCELED',
    expired: 'UNKNOWN',
    refused: 'FAILED',
  },
  authorize({ req }) {
    if (!hasBearer(req.headers)) throw errorOfStatus(401);
  },
  headers: retryAfterHeader,
  errorOfStatus,
  toTaskId: toUuid,
  toAccepted,
  toView,
  unknownTask,
};

/** DashScope reports an unknown or expired task as a state with status 200. */
function unknownTask(taskId: string): ProviderError {
  const output = { task_id: taskId, task_status: 'UNKNOWN' };
  return new ProviderError(200, 'unknown task', (id) => ({ request_id: toUuid(id), output }));
}

function toAccepted({ taskId, identity }: Accepted<TaskRequest>) {
  return {
    output: { ...(taskId === undefined ? {} : { task_id: taskId }), task_status: 'PENDING' },
    request_id: toUuid(identity.id),
  };
}

function toView({ task, state, statusName, url, id }: TaskView) {
  const { seconds, tier, size, text } = task.job;
  const failure =
    state === 'refused'
      ? { code: 'DataInspectionFailed', message: 'Output data may contain inappropriate content.' }
      : { code: 'InternalError', message: 'The task has failed.' };
  const times = { submit_time: timeText(task.submittedAtMs), scheduled_time: timeText(task.submittedAtMs) };
  const output = {
    task_id: task.id,
    task_status: statusName,
    ...times,
    ...(isOver(state) ? { end_time: timeText(task.endsAtMs) } : {}),
    ...(isOver(state) && url === null ? failure : {}),
    ...(url === null ? {} : { orig_prompt: text, video_url: url }),
  };
  const usage = {
    duration: seconds,
    output_video_duration: seconds,
    input_video_duration: 0,
    video_count: 1,
    SR: Number.parseInt(tier ?? '', 10),
    size: `${size.width}*${size.height}`,
  };
  return { request_id: toUuid(id), output, ...(url === null ? {} : { usage }) };
}

/** `2026-11-21 12:00:00.000`. */
const timeText = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
