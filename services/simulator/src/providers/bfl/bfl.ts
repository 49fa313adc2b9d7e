import { queryOf } from '../../http/url';
import { retryAfterHeader } from '../headers';
import type { Provider, ProviderDeps } from '../provider';
import { toUuid } from '../task-id';
import type { Accepted, TaskProtocol, TaskRequest, TaskView } from '../task-protocol';
import { createTaskProvider } from '../task-provider';
import { errorOfStatus, taskNotFound } from './error';
import { parseFluxRequest } from './flux-request';
import { megapixelsOf } from './megapixels';

const RESULT_PATH = '/v1/get_result';
const MODEL_PATH = /^\/v1\/([\w.-]{1,64})$/;

export const createBfl = (deps: ProviderDeps): Provider =>
  createTaskProvider(deps, fluxProtocol, {
    polledTask: (path, { req }) => (path === RESULT_PATH ? (queryOf(req.url).get('id') ?? '') : undefined),
    parserFor(path) {
      const model = path === RESULT_PATH ? undefined : MODEL_PATH.exec(path)?.[1];
      return model === undefined ? undefined : (body) => parseFluxRequest(body, model);
    },
  });

/** Without `contentPolicy`: a refusal is the state of the polled task. */
const fluxProtocol: TaskProtocol<TaskRequest> = {
  provider: 'bfl',
  overloadedStatus: 503,
  statusNames: {
    queued: 'Pending',
    running: 'Pending',
    succeeded: 'Ready',
    failed: 'Error',
    cancelled: 'Failed',
    expired: 'Task not found',
    refused: 'Request Moderated',
  },
  authorize({ req }) {
    if (!req.headers['x-key']) throw errorOfStatus(403);
  },
  headers: retryAfterHeader,
  errorOfStatus,
  toTaskId: toUuid,
  toAccepted,
  toView,
  unknownTask: taskNotFound,
};

function toAccepted({ request, taskId, origin }: Accepted<TaskRequest>) {
  const { width, height } = request.job.size;
  return {
    ...(taskId === undefined ? {} : { id: taskId, polling_url: `${origin}/bfl/v1/get_result?id=${taskId}` }),
    cost: null,
    input_mp: request.job.uploads.reduce((sum, { megapixels = 0 }) => sum + megapixels, 0),
    output_mp: megapixelsOf(width, height),
  };
}

function toView({ task, state, statusName, url }: TaskView) {
  const refused = state === 'refused' || statusName === 'Content Moderated';
  return {
    id: task.id,
    status: statusName,
    result:
      url === null
        ? null
        : {
            sample: url,
            prompt: task.job.text,
            start_time: task.submittedAtMs / 1_000,
            end_time: task.endsAtMs / 1_000,
            duration: (task.endsAtMs - task.submittedAtMs) / 1_000,
          },
    progress: null,
    details: refused ? { 'Moderation Reasons': ['Safety Filter'] } : null,
    preview: null,
  };
}
