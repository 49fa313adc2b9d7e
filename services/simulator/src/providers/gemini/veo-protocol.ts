import { isOver, type Task } from '../../domain/task';
import type { Accepted, TaskProtocol, TaskRequest, TaskView } from '../task-protocol';
import { errorOfStatus } from './error';
import { authorize, geminiHeaders } from './headers';

const RESPONSE_TYPE = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse';
const INTERNAL_CODE = 13;

/** Without `contentPolicy`: a refused operation is done, without videos. */
export const veoProtocol: TaskProtocol<TaskRequest> = {
  provider: 'gemini',
  overloadedStatus: 503,
  // An operation reports only whether it is done.
  statusNames: {
    queued: 'queued',
    running: 'running',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
    expired: 'expired',
    refused: 'refused',
  },
  authorize,
  headers: geminiHeaders,
  errorOfStatus,
  toTaskId: (id, { model }) => operationName(model, id),
  toAccepted: ({ taskId }: Accepted<TaskRequest>) => (taskId === undefined ? {} : { name: taskId }),
  toView,
  unknownTask: () => errorOfStatus(404, 'Operation not found.'),
};

export const operationName = (model: string, operation: string) => `models/${model}/operations/${operation}`;

function toView({ task, state, statusName, origin }: TaskView) {
  const { id: name } = task;
  if (!isOver(state)) return { name };
  if (state !== 'succeeded' && state !== 'refused') {
    const message = `Video generation failed: ${statusName}.`;
    return { name, done: true, error: { code: INTERNAL_CODE, message } };
  }
  const filtered = {
    raiMediaFilteredCount: 1,
    raiMediaFilteredReasons: ['The prompt could not be submitted: it goes against the usage guidelines.'],
  };
  const videos = { generatedSamples: [{ video: { uri: fileUri(task, origin) } }] };
  const generateVideoResponse = state === 'refused' ? filtered : videos;
  return { name, done: true, response: { '@type': RESPONSE_TYPE, generateVideoResponse } };
}

/** Unlike other providers' links it requires the key, and is valid as long as the operation is stored. */
function fileUri({ id, model }: Task, origin: string): string {
  const operation = id.slice(id.lastIndexOf('/') + 1);
  return `${origin}/gemini/v1beta/files/${operation}:download?alt=media&model=${encodeURIComponent(model)}`;
}
