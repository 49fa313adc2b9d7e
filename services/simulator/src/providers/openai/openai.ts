import type { Call } from '../../http/call';
import { sendJson } from '../../http/send';
import type { Provider, ProviderDeps } from '../provider';
import { hasBearer } from './bearer';
import { chatCompletions } from './chat';
import { noApiKey, unknownPath, wrongMethod } from './error';
import { getModel, listModels } from './models';
import { openAiHeaders, sendError } from './send';

const CHAT_PATH = '/v1/chat/completions';
const MODELS_PATH = '/v1/models';

export function createOpenAi(deps: ProviderDeps): Provider {
  return {
    name: 'openai',
    handle(call, path) {
      if (path === CHAT_PATH) {
        if (call.req.method === 'POST') return chatCompletions(call, deps);
        return sendError(call, deps, wrongMethod(call.req.method ?? '', path));
      }
      if (path === MODELS_PATH || path.startsWith(`${MODELS_PATH}/`)) return models(call, path, deps);
      return sendError(call, deps, unknownPath(call.req.method ?? '', path));
    },
  };
}

function models(call: Call, path: string, deps: ProviderDeps): void {
  const { method = '', headers } = call.req;
  const id = path.slice(MODELS_PATH.length + 1);
  if (method !== 'GET') sendError(call, deps, wrongMethod(method, path));
  else if (!hasBearer(headers)) sendError(call, deps, noApiKey());
  else sendJson(call.res, 200, id === '' ? listModels() : getModel(id), openAiHeaders(deps.newId()));
}
