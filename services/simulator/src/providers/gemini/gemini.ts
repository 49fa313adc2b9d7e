import type { Call } from '../../http/call';
import { queryOf } from '../../http/url';
import type { ChatProtocol } from '../chat-protocol';
import { handleLookup, handleMetered, readJson, sendError } from '../handle-call';
import { answerChat, handleTokenCount } from '../handle-chat';
import { handleEmbeddings } from '../handle-embeddings';
import type { Provider, ProviderDeps } from '../provider';
import { parseBatchEmbed, toEmbedContents } from './embeddings';
import { errorOfStatus, geminiError, invalid } from './error';
import { toFrame, toResponse, toStream } from './generate-format';
import {
  type GenerateRequest,
  type ModelMethod,
  parseCountRequest,
  parseGenerateRequest,
} from './generate-request';
import { authorize, geminiHeaders } from './headers';
import { listModels, toModel } from './models';
import { sendImages } from './send-images';
import { handleVeoGet, handleVeoSubmit } from './veo';

// Both versions behave the same here; the official client's default is v1.
const MODELS_PATH = /^\/v1(?:beta)?\/models(?:\/([^:]+)(?::(\w+))?)?$/;

export function createGemini(deps: ProviderDeps): Provider {
  return {
    name: 'gemini',
    handle(call, path) {
      if (call.req.method === 'GET' && handleVeoGet(call, deps, path)) return;
      const match = MODELS_PATH.exec(path);
      if (match === null) return sendError(call, deps, generateProtocol, errorOfStatus(404));
      const [, model, method] = match;
      if (call.req.method === 'GET' && method === undefined) {
        const toBody = () => (model === undefined ? listModels() : toModel(model));
        return handleLookup(call, deps, generateProtocol, toBody);
      }
      if (call.req.method !== 'POST' || model === undefined || method === undefined) {
        return sendError(call, deps, generateProtocol, errorOfStatus(404));
      }
      return handleMethod(call, deps, model, method);
    },
  };
}

function handleMethod(call: Call, deps: ProviderDeps, model: string, method: string): void | Promise<void> {
  const target = { model, stream: method === 'streamGenerateContent' };
  switch (method) {
    case 'streamGenerateContent':
    case 'generateContent':
      return handleGenerate(call, deps, target);
    case 'predictLongRunning':
      return handleVeoSubmit(call, deps, model);
    case 'batchEmbedContents': {
      const parse = (body: unknown) => parseBatchEmbed(body, model);
      return handleEmbeddings(call, deps, generateProtocol, parse, toEmbedContents);
    }
    case 'countTokens':
      return handleTokenCount(
        call,
        deps,
        generateProtocol,
        (body) => parseCountRequest(body, target),
        toCount,
      );
    default:
      return sendError(call, deps, generateProtocol, geminiError(404, `Method not found: ${method}`));
  }
}

function handleGenerate(call: Call, deps: ProviderDeps, target: ModelMethod): Promise<void> {
  const parse = (body: unknown) => {
    // Without `alt=sse` Google streams one JSON list, which is not simulated.
    if (target.stream && queryOf(call.req.url).get('alt') !== 'sse')
      throw invalid('alt=sse is required here.');
    return parseGenerateRequest(body, target);
  };
  const read = () => readJson(call, deps, generateProtocol, parse);
  return handleMetered(call, deps, generateProtocol, read, (exchange) => {
    const { image } = exchange.request;
    return image === null ? answerChat(exchange) : sendImages(exchange, image);
  });
}

function toCount(tokens: number) {
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] };
}

/** Without `contentPolicy`: Google reports it in a reply with status 200. */
const generateProtocol: ChatProtocol<GenerateRequest> = {
  provider: 'gemini',
  overloadedStatus: 503,
  reportsCacheWrites: false,
  authorize,
  headers: geminiHeaders,
  errorOfStatus,
  toBody: toResponse,
  toStream,
  toErrorFrame: toFrame,
};
