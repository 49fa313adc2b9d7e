import type { Call } from '../../http/call';
import { playLookUp, sendError } from '../play';
import { playCall } from '../play-call';
import type { Provider, ProviderDeps } from '../provider';
import { chatDialect } from './chat-dialect';
import { parseChatRequest } from './chat-request';
import { unknownPath, wrongMethod } from './error';
import { playEdit, playGeneration } from './images';
import { getModel, listModels } from './models';

const CHAT_PATH = '/v1/chat/completions';
const GENERATIONS_PATH = '/v1/images/generations';
const EDITS_PATH = '/v1/images/edits';
const MODELS_PATH = '/v1/models';

export function createOpenAi(deps: ProviderDeps): Provider {
  const posts = new Map<string, (call: Call) => Promise<void>>([
    [CHAT_PATH, (call) => playCall(call, deps, chatDialect, parseChatRequest)],
    [GENERATIONS_PATH, (call) => playGeneration(call, deps)],
    [EDITS_PATH, (call) => playEdit(call, deps)],
  ]);
  return {
    name: 'openai',
    handle(call, path) {
      const { method = '' } = call.req;
      const answer = posts.get(path);
      if (answer !== undefined) {
        if (method === 'POST') return answer(call);
        return sendError(call, deps, chatDialect, wrongMethod(method, path));
      }
      if (path === MODELS_PATH || path.startsWith(`${MODELS_PATH}/`)) {
        if (method !== 'GET') return sendError(call, deps, chatDialect, wrongMethod(method, path));
        const id = path.slice(MODELS_PATH.length + 1);
        return playLookUp(call, deps, chatDialect, () => (id === '' ? listModels() : getModel(id)));
      }
      return sendError(call, deps, chatDialect, unknownPath(method, path));
    },
  };
}
