import type { Call } from '../../http/call';
import type { ChatProtocol } from '../chat-protocol';
import { handleLookup, sendError } from '../handle-call';
import { handleChat } from '../handle-chat';
import { handleEmbeddings } from '../handle-embeddings';
import type { Provider, ProviderDeps } from '../provider';
import { toChatCompletion, toStreamFrames } from './chat-format';
import { type ChatRequest, checkReplySize, parseChatRequest } from './chat-request';
import { parseEmbeddings, toEmbeddingList } from './embeddings';
import { contentPolicy, errorOfStatus, unknownPath, wrongMethod } from './error';
import { authorize, openAiHeaders } from './headers';
import { handleImageEdit, handleImageGeneration } from './images';
import { listModels, toModel } from './models';
import { OPENAI_QUIRKS, type Quirks } from './quirks';
import { handleSpeech } from './speech';
import { handleTranscription } from './transcription';

const MODELS_PATH = '/v1/models';

type Handlers = Readonly<Record<string, (call: Call) => Promise<void>>>;

export const createOpenAi = (deps: ProviderDeps): Provider =>
  createCompatibleProvider('openai', OPENAI_QUIRKS, deps, {
    '/v1/images/generations': (call) => handleImageGeneration(call, deps),
    '/v1/images/edits': (call) => handleImageEdit(call, deps),
    '/v1/audio/speech': (call) => handleSpeech(call, deps),
    '/v1/audio/transcriptions': (call) => handleTranscription(call, deps),
    '/v1/audio/translations': (call) => handleTranscription(call, deps),
  });

/** Creates a provider of OpenAI's chat format. @param media handlers of calls for images and audio by path */
export function createCompatibleProvider(
  name: string,
  quirks: Quirks,
  deps: ProviderDeps,
  media: Handlers = {},
): Provider {
  const protocol = { ...chatProtocol, provider: name };
  const handlers = new Map(Object.entries(media));
  handlers.set('/v1/chat/completions', (call) =>
    handleChat(call, deps, protocol, (body) => parseChatRequest(body, quirks)),
  );
  handlers.set('/v1/embeddings', (call) =>
    handleEmbeddings(call, deps, protocol, (body) => parseEmbeddings(body, quirks), toEmbeddingList),
  );
  return {
    name,
    handle(call, path) {
      const { method = '' } = call.req;
      const isModels = path === MODELS_PATH || path.startsWith(`${MODELS_PATH}/`);
      const handler = handlers.get(path);
      if (!isModels && !handler) return sendError(call, deps, protocol, unknownPath(method, path));
      if (method !== (isModels ? 'GET' : 'POST')) {
        return sendError(call, deps, protocol, wrongMethod(method, path));
      }
      if (handler) return handler(call);
      const id = path.slice(MODELS_PATH.length + 1);
      return handleLookup(call, deps, protocol, () => (id === '' ? listModels() : toModel(id)));
    },
  };
}

const chatProtocol: ChatProtocol<ChatRequest> = {
  provider: 'openai',
  overloadedStatus: 503,
  reportsCacheWrites: true,
  authorize,
  headers: openAiHeaders,
  errorOfStatus,
  contentPolicy,
  toBody(context) {
    checkReplySize(context);
    return toChatCompletion(context);
  },
  toStream(context) {
    checkReplySize(context);
    return { frames: toStreamFrames(context) };
  },
  toErrorFrame: (body) => `data: ${JSON.stringify(body)}\n\n`,
};
