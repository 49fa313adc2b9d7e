import type { Call } from '../../http/call';
import type { ChatProtocol } from '../chat-protocol';
import { handleLookup, sendError } from '../handle-call';
import { handleChat, handleTokenCount } from '../handle-chat';
import type { Provider, ProviderDeps } from '../provider';
import { anthropicError, contentPolicy, errorOfStatus } from './error';
import { anthropicHeaders, readApiHeaders } from './headers';
import { toMessage } from './message-format';
import { toStreamFrames } from './message-stream';
import { type MessagesRequest, parseCountRequest, parseMessagesRequest } from './messages-request';
import { listModels, toModel } from './models';

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
        return handleLookup(call, deps, messagesProtocol, () => (id === '' ? listModels() : toModel(id)));
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
  sendError(call, deps, messagesProtocol, anthropicError(status, message));
}

const messagesProtocol: ChatProtocol<MessagesRequest> = {
  provider: 'anthropic',
  overloadedStatus: 529,
  reportsCacheWrites: true,
  authorize: ({ req }) => void readApiHeaders(req.headers),
  headers: anthropicHeaders,
  errorOfStatus,
  contentPolicy,
  toBody: toMessage,
  toStream: (context) => ({ frames: toStreamFrames(context) }),
  toErrorFrame: (body) => `event: error\ndata: ${JSON.stringify(body)}\n\n`,
};
