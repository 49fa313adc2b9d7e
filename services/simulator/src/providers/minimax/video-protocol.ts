import { isOver } from '../../domain/task';
import { hasBearer } from '../bearer';
import { retryAfterHeader } from '../retry-after';
import { toDigits } from '../task-id';
import type { TaskProtocol, TaskRequest, TaskView } from '../task-protocol';
import { contentPolicy, errorOfStatus } from './error';

export const videoProtocol: TaskProtocol<TaskRequest> = {
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
