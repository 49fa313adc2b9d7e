import { splitUrl } from '../../http/split-url';
import { sendError } from '../play';
import { playPoll, playSubmit } from '../play-task';
import type { Provider, ProviderDeps } from '../provider';
import { errorOfStatus } from './error';
import { fluxDialect } from './flux-dialect';
import { parseFluxRequest } from './flux-request';

const RESULT_PATH = '/v1/get_result';
const MODEL_PATH = /^\/v1\/([\w.-]{1,64})$/;

export function createBfl(deps: ProviderDeps): Provider {
  return {
    name: 'bfl',
    handle(call, path) {
      if (path === RESULT_PATH && call.req.method === 'GET') {
        const query = new URLSearchParams(splitUrl(call.req.url ?? '/').query);
        return playPoll(call, deps, fluxDialect, query.get('id') ?? '');
      }
      const model = MODEL_PATH.exec(path)?.[1];
      if (model === undefined || path === RESULT_PATH || call.req.method !== 'POST') {
        return sendError(call, deps, fluxDialect, errorOfStatus(404));
      }
      return playSubmit(call, deps, fluxDialect, (body) => parseFluxRequest(body, model));
    },
  };
}
