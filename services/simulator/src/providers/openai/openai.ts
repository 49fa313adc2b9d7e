import type { Call } from '../../http/call';
import { handleLookup, sendError } from '../handle-call';
import { handleChat } from '../handle-chat';
import type { Provider, ProviderDeps } from '../provider';
import { chatProtocol } from './chat-protocol';
import { parseChatRequest } from './chat-request';
import { unknownPath, wrongMethod } from './error';
import { handleImageEdit, handleImageGeneration } from './images';
import { getModel, listModels } from './models';

const CHAT_PATH = '/v1/chat/completions';
const GENERATIONS_PATH = '/v1/images/generations';
const EDITS_PATH = '/v1/images/edits';
const MODELS_PATH = '/v1/models';

export function createOpenAi(deps: ProviderDeps): Provider {
  const posts = new Map<string, (call: Call) => Promise<void>>([
    [CHAT_PATH, (call) => handleChat(call, deps, chatProtocol, parseChatRequest)],
    [GENERATIONS_PATH, (call) => handleImageGeneration(call, deps)],
    [EDITS_PATH, (call) => handleImageEdit(call, deps)],
  ]);
  return {
    name: 'openai',
    handle(call, path) {
      const { method = '' } = call.req;
      const answer = posts.get(path);
      if (answer !== undefined) {
        if (method === 'POST') return answer(call);
        return sendError(call, deps, chatProtocol, wrongMethod(method, path));
      }
      if (path === MODELS_PATH || path.startsWith(`${MODELS_PATH}/`)) {
        if (method !== 'GET') return sendError(call, deps, chatProtocol, wrongMethod(method, path));
        const id = path.slice(MODELS_PATH.length + 1);
        return handleLookup(call, deps, chatProtocol, () => (id === '' ? listModels() : getModel(id)));
      }
      return sendError(call, deps, chatProtocol, unknownPath(method, path));
    },
  };
}
