import { isOver } from '../../domain/task';
import { hasBearer } from '../bearer';
import { ProviderError } from '../provider-error';
import { retryAfterHeader } from '../retry-after';
import { toUuid } from '../task-id';
import type { Accepted, TaskProtocol, TaskRequest, TaskView } from '../task-protocol';
import { errorOfStatus } from './error';

/** Without `contentPolicy`: a refused task has failed when it is polled. */
export const videoProtocol: TaskProtocol<TaskRequest> = {
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
  unknownTask: (taskId) => new UnknownTask(taskId),
};

/** A task that is not there, or no longer, is a state of its own and no failure. */
class UnknownTask extends ProviderError {
  constructor(readonly taskId: string) {
    super(200, 'unknown task');
  }

  toBody(id: string): unknown {
    return { request_id: toUuid(id), output: { task_id: this.taskId, task_status: 'UNKNOWN' } };
  }
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
