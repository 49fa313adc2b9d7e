import { stateOf } from '../../domain/task';
import type { Call } from '../../http/call';
import { queryOf } from '../../http/url';
import { sendError } from '../handle-call';
import { handleTaskPoll, handleTaskSubmit } from '../handle-task';
import type { ProviderDeps } from '../provider';
import { ProviderError } from '../provider-error';
import { sendResult } from '../result-files';
import { errorOfStatus } from './error';
import { authorize } from './headers';
import { operationName, veoProtocol } from './veo-protocol';
import { parseVeoRequest } from './veo-request';

const OPERATION_PATH = /^\/v1(?:beta)?\/(models\/[^/:]+\/operations\/[\w-]{1,64})$/;
const FILE_PATH = /^\/v1(?:beta)?\/files\/([\w-]{1,64}):download$/;

export function handleVeoSubmit(call: Call, deps: ProviderDeps, model: string): Promise<void> {
  return handleTaskSubmit(call, deps, veoProtocol, (body) => parseVeoRequest(body, model));
}

/** Answers a GET of an operation or of its file; returns false for any other path. */
export function handleVeoGet(call: Call, deps: ProviderDeps, path: string): boolean {
  const name = OPERATION_PATH.exec(path)?.[1];
  const operation = FILE_PATH.exec(path)?.[1];
  if (name !== undefined) handleTaskPoll(call, deps, veoProtocol, name);
  else if (operation !== undefined) sendFile(call, deps, operation);
  else return false;
  return true;
}

function sendFile(call: Call, deps: ProviderDeps, operation: string): void {
  try {
    authorize(call);
    const model = queryOf(call.req.url).get('model') ?? '';
    const task = deps.tasks.find(veoProtocol.provider, operationName(model, operation));
    if (task === undefined || stateOf(task, deps.nowMs()) !== 'succeeded')
      throw errorOfStatus(404, 'File not found.');
    sendResult(call, task);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    sendError(call, deps, veoProtocol, error);
  }
}
