import { stateOf } from '../../domain/task';
import type { Call } from '../../http/call';
import { sendError } from '../play';
import { playPoll, playSubmit } from '../play-task';
import type { ProviderDeps } from '../provider';
import { sendResult } from '../result-files';
import { WireError } from '../wire-error';
import { authorize, queryOf } from './access';
import { errorOfStatus } from './error';
import { operationName, veoDialect } from './veo-dialect';
import { parseVeoRequest } from './veo-request';

const OPERATION_PATH = /^\/v1(?:beta)?\/(models\/[^/:]+\/operations\/[\w-]{1,64})$/;
const FILE_PATH = /^\/v1(?:beta)?\/files\/([\w-]{1,64}):download$/;

export function playVeo(call: Call, deps: ProviderDeps, model: string): Promise<void> {
  return playSubmit(call, deps, veoDialect, (body) => parseVeoRequest(body, model));
}

/** GET of an operation, or of the file it made; false for any other path. */
export function playVeoLook(call: Call, deps: ProviderDeps, path: string): boolean {
  const name = OPERATION_PATH.exec(path)?.[1];
  const operation = FILE_PATH.exec(path)?.[1];
  if (name !== undefined) playPoll(call, deps, veoDialect, name);
  else if (operation !== undefined) sendFile(call, deps, operation);
  else return false;
  return true;
}

function sendFile(call: Call, deps: ProviderDeps, operation: string): void {
  try {
    authorize(call);
    const model = queryOf(call.req.url).get('model') ?? '';
    const task = deps.tasks.find(veoDialect.provider, operationName(model, operation));
    if (task === undefined || stateOf(task, deps.nowMs()) !== 'succeeded')
      throw errorOfStatus(404, 'File not found.');
    sendResult(call, task);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    sendError(call, deps, veoDialect, error);
  }
}
