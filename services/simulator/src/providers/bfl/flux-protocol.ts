import { retryAfterHeader } from '../retry-after';
import { toUuid } from '../task-id';
import type { Accepted, TaskProtocol, TaskRequest, TaskView } from '../task-protocol';
import { errorOfStatus, TaskNotFound } from './error';
import { megapixelsOf } from './megapixels';

/** Without `contentPolicy`: a refused task says so when it is polled. */
export const fluxProtocol: TaskProtocol<TaskRequest> = {
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
  unknownTask: (taskId) => new TaskNotFound(taskId),
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
