import { isOver } from '../../domain/task';
import { hasBearer, retryAfterHeader } from '../headers';
import type { Provider, ProviderDeps } from '../provider';
import { toDigits } from '../task-id';
import type { TaskProtocol, TaskRequest, TaskView } from '../task-protocol';
import { createTaskProvider } from '../task-provider';
import { contentPolicy, errorOfStatus } from './error';
import { parseVideoRequest } from './video-request';

const SUBMIT_PATH = '/v2/video_generation';
const QUERY_PATH = /^\/v2\/query\/video_generation\/([\w-]{1,64})$/;

export const createMinimax = (deps: ProviderDeps): Provider =>
  createTaskProvider(deps, videoProtocol, {
    polledTask: (path) => QUERY_PATH.exec(path)?.[1],
    parserFor: (path) => (path === SUBMIT_PATH ? parseVideoRequest : undefined),
  });

const videoProtocol: TaskProtocol<TaskRequest> = {
  provider: 'minimax',
  overloadedStatus: 503,
  errorsWithStatus200: true,
  statusNames: {
    queued: 'queued',
    running: 'running',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
    expired: 'expired',
    refused: 'failed',
  },
  authorize({ req }) {
    if (!hasBearer(req.headers)) throw errorOfStatus(401);
  },
  headers: retryAfterHeader,
  errorOfStatus,
  contentPolicy,
  toTaskId: (id) => toDigits(id, 15),
  toAccepted: ({ taskId }) => (taskId === undefined ? {} : { task_id: taskId }),
  toView,
  unknownTask: () => errorOfStatus(404),
};

function toView({ task, state, statusName, url }: TaskView) {
  const { seconds, tier } = task.job;
  const failed = isOver(state) && url === null;
  const error =
    state === 'refused'
      ? { code: '1026', message: 'video description contains sensitive content' }
      : { code: '1000', message: 'generation failed' };
  return {
    task: {
      id: task.id,
      type: 'video_generation',
      model: task.model,
      status: statusName,
      resolution: tier,
      ...(url === null ? {} : { content: { url }, duration: seconds, usage: { output_seconds: seconds } }),
      ...(failed ? { error } : {}),
    },
  };
}
