import type { Call } from '../../http/call';
import { handleLookup, sendError } from '../handle-call';
import { handleChat, handleTokenCount } from '../handle-chat';
import type { Provider, ProviderDeps } from '../provider';
import { AnthropicError } from './error';
import { readApiHeaders } from './headers';
import { messagesProtocol } from './messages-protocol';
import { parseCountRequest, parseMessagesRequest } from './messages-request';
import { getModel, listModels } from './models';

const MESSAGES_PATH = '/v1/messages';
const COUNT_PATH = '/v1/messages/count_tokens';
const MODELS_PATH = '/v1/models';

export function createAnthropic(deps: ProviderDeps): Provider {
  return {
    name: 'anthropic',
    handle(call, path) {
      const { method = '', headers } = call.req;
      const isModels = path === MODELS_PATH || path.startsWith(`${MODELS_PATH}/`);
      if (!isModels && path !== MESSAGES_PATH && path !== COUNT_PATH)
        return refuse(call, deps, 404, 'Not Found');
      if (method !== (isModels ? 'GET' : 'POST')) return refuse(call, deps, 405, 'Method Not Allowed');
      if (isModels) {
        const id = path.slice(MODELS_PATH.length + 1);
        return handleLookup(call, deps, messagesProtocol, () => (id === '' ? listModels() : getModel(id)));
      }
      if (path === MESSAGES_PATH) {
        const parse = (body: unknown) => parseMessagesRequest(body, readApiHeaders(headers));
        return handleChat(call, deps, messagesProtocol, parse);
      }
      const parse = (body: unknown) => parseCountRequest(body, readApiHeaders(headers));
      return handleTokenCount(call, deps, messagesProtocol, parse, (tokens) => ({ input_tokens: tokens }));
    },
  };
}

function refuse(call: Call, deps: ProviderDeps, status: number, message: string): void {
  sendError(call, deps, messagesProtocol, new AnthropicError(status, message));
}
