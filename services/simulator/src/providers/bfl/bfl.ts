import { splitUrl } from '../../http/split-url';
import { sendError } from '../handle-call';
import { handleTaskPoll, handleTaskSubmit } from '../handle-task';
import type { Provider, ProviderDeps } from '../provider';
import { errorOfStatus } from './error';
import { fluxProtocol } from './flux-protocol';
import { parseFluxRequest } from './flux-request';

const RESULT_PATH = '/v1/get_result';
const MODEL_PATH = /^\/v1\/([\w.-]{1,64})$/;

export function createBfl(deps: ProviderDeps): Provider {
  return {
    name: 'bfl',
    handle(call, path) {
      if (path === RESULT_PATH && call.req.method === 'GET') {
        const query = new URLSearchParams(splitUrl(call.req.url ?? '/').query);
        return handleTaskPoll(call, deps, fluxProtocol, query.get('id') ?? '');
      }
      const model = MODEL_PATH.exec(path)?.[1];
      if (model === undefined || path === RESULT_PATH || call.req.method !== 'POST') {
        return sendError(call, deps, fluxProtocol, errorOfStatus(404));
      }
      return handleTaskSubmit(call, deps, fluxProtocol, (body) => parseFluxRequest(body, model));
    },
  };
}
