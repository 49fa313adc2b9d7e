import { handleLookup, sendError } from '../handle-call';
import { handleChat } from '../handle-chat';
import type { Provider, ProviderDeps } from '../provider';
import { chatProtocol } from './chat-protocol';
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
  mistral: { alwaysReportsUsage: true, separateReasoning: false, mistralFormat: true },
  xai: { alwaysReportsUsage: false, separateReasoning: true, mistralFormat: false },
};

/** A provider of OpenAI's format with manners of its own. */
export function createCompatibleProvider(name: string, quirks: Quirks, deps: ProviderDeps): Provider {
  const protocol = { ...chatProtocol, provider: name };
  return {
    name,
    handle(call, path) {
      const { method = '' } = call.req;
      if (path === CHAT_PATH && method === 'POST') {
        return handleChat(call, deps, protocol, (body) => parseChatRequest(body, quirks));
      }
      if (path === CHAT_PATH) return sendError(call, deps, protocol, wrongMethod(method, path));
      if (method === 'GET' && path === MODELS_PATH) return handleLookup(call, deps, protocol, listModels);
      if (method === 'GET' && path.startsWith(`${MODELS_PATH}/`)) {
        return handleLookup(call, deps, protocol, () => getModel(path.slice(MODELS_PATH.length + 1)));
      }
      return sendError(call, deps, protocol, unknownPath(method, path));
    },
  };
}
