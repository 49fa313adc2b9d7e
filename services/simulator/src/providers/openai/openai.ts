import type { Call } from '../../http/call';
import type { ChatProtocol } from '../chat-protocol';
import { handleLookup, sendError } from '../handle-call';
import { handleChat } from '../handle-chat';
import { handleEmbeddings } from '../handle-embeddings';
import { handleRerank, parseRerank, type Ranking } from '../handle-rerank';
import { isObject } from '../json';
import type { Provider, ProviderDeps } from '../provider';
import { toChatCompletion, toStreamFrames } from './chat-format';
import { type ChatRequest, checkReplySize, parseChatRequest } from './chat-request';
import { type CompletionRequest, parseCompletion, toCompletion, toCompletionFrames } from './completions';
import { parseEmbeddings, toEmbeddingList } from './embeddings';
import { contentPolicy, errorOfStatus, invalid, unknownPath, wrongMethod } from './error';
import { authorize, openAiHeaders } from './headers';
import { handleImageEdit, handleImageGeneration } from './images';
import { listModels, toModel } from './models';
import { handleModeration } from './moderations';
import { OPENAI_QUIRKS, type Quirks } from './quirks';
import { toCompaction, toResponse, toResponseFrames } from './responses-format';
import { parseCompaction, parseResponsesRequest, type ResponsesRequest } from './responses-request';
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
  const responses = { ...responsesProtocol, provider: name };
  if (!quirks.mistralFormat)
    handlers.set('/v1/responses', (call) =>
      handleChat(call, deps, responses, (body) => parseResponsesRequest(body, quirks)),
    );
  if (!quirks.mistralFormat && !quirks.separateReasoning)
    handlers.set('/v1/responses/compact', (call) =>
      handleChat(call, deps, { ...responses, toBody: toCompaction }, (body) => parseCompaction(body, quirks)),
    );
  const completions = { ...completionProtocol, provider: name };
  // DeepSeek's are in beta, and Mistral only fills in the middle.
  for (const path of quirks.mistralFormat
    ? ['/v1/fim/completions']
    : ['/v1/completions', '/beta/completions'])
    handlers.set(path, (call) =>
      handleChat(call, deps, completions, (body) => parseCompletion(body, quirks)),
    );
  handlers.set('/v1/embeddings', (call) =>
    handleEmbeddings(call, deps, protocol, (body) => parseEmbeddings(body, quirks), toEmbeddingList),
  );
  handlers.set('/v1/moderations', (call) => handleModeration(call, deps, protocol, quirks));
  if (!quirks.mistralFormat)
    handlers.set('/v1/rerank', (call) => handleRerank(call, deps, protocol, parseRanking, toRanking));
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

/** Jina AI's format. */
const RERANK_FIELDS = new Set(['model', 'query', 'documents', 'top_n', 'return_documents']);
const parseRanking = (body: unknown) => parseRerank(body, RERANK_FIELDS, (message) => invalid(message));
const toRanking = ({ model, results, inputTokens }: Ranking) => ({
  ...{ object: 'list', model, results },
  usage: { total_tokens: inputTokens },
});

const common = {
  provider: 'openai',
  overloadedStatus: 503,
  authorize,
  headers: openAiHeaders,
  errorOfStatus,
  contentPolicy,
  toErrorFrame: (body: unknown) => `data: ${JSON.stringify(body)}\n\n`,
};

const completionProtocol: ChatProtocol<CompletionRequest> = {
  ...common,
  reportsCacheWrites: false,
  toBody: toCompletion,
  toStream: (context) => ({ frames: toCompletionFrames(context) }),
};

const responsesProtocol: ChatProtocol<ResponsesRequest> = {
  ...common,
  reportsCacheWrites: true,
  toErrorFrame: (body) => `event: error\ndata: ${JSON.stringify({ type: 'error', ...errorOf(body) })}\n\n`,
  toBody: toResponse,
  toStream: (context) => ({ frames: toResponseFrames(context) }),
};

const errorOf = (body: unknown): object =>
  isObject(body) && isObject(body.error)
    ? { code: body.error.code ?? body.error.type, ...body.error, type: 'error' }
    : {};

const chatProtocol: ChatProtocol<ChatRequest> = {
  ...common,
  reportsCacheWrites: true,
  toBody(context) {
    checkReplySize(context);
    return toChatCompletion(context);
  },
  toStream(context) {
    checkReplySize(context);
    return { frames: toStreamFrames(context) };
  },
};
