import { playLookUp, sendError } from '../play';
import { playCall } from '../play-call';
import type { Provider, ProviderDeps } from '../provider';
import { chatDialect } from './chat-dialect';
import { parseChatRequest, type Quirks } from './chat-request';
import { unknownPath, wrongMethod } from './error';
import { getModel, listModels } from './models';

const CHAT_PATH = '/v1/chat/completions';
const MODELS_PATH = '/v1/models';

/**
 * Mistral tells the usage of every stream and refuses to be asked (openai-agents-python#442), and gives thinking as parts
 * of the content (docs.mistral.ai, "Reasoning"); xAI counts
 * reasoning beside the completion (docs.x.ai, "Reasoning").
 */
export const COMPATIBLE: Readonly<Record<string, Quirks>> = {
  mistral: { tellsUsageUnasked: true, reasoningApart: false, mistralShapes: true },
  xai: { tellsUsageUnasked: false, reasoningApart: true, mistralShapes: false },
};

/** A provider of OpenAI's format with manners of its own. */
export function createKin(name: string, manners: Quirks, deps: ProviderDeps): Provider {
  const dialect = { ...chatDialect, provider: name };
  return {
    name,
    handle(call, path) {
      const { method = '' } = call.req;
      if (path === CHAT_PATH && method === 'POST') {
        return playCall(call, deps, dialect, (body) => parseChatRequest(body, manners));
      }
      if (path === CHAT_PATH) return sendError(call, deps, dialect, wrongMethod(method, path));
      if (method === 'GET' && path === MODELS_PATH) return playLookUp(call, deps, dialect, listModels);
      if (method === 'GET' && path.startsWith(`${MODELS_PATH}/`)) {
        return playLookUp(call, deps, dialect, () => getModel(path.slice(MODELS_PATH.length + 1)));
      }
      return sendError(call, deps, dialect, unknownPath(method, path));
    },
  };
}
