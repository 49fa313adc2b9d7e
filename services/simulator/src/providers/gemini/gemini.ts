import type { Call } from '../../http/call';
import type { Dialect } from '../dialect';
import { play as playAny, playLookUp, readJson, sendError } from '../play';
import { playCount, reply } from '../play-call';
import type { Provider, ProviderDeps } from '../provider';
import { queryOf } from './access';
import { errorOfStatus, GeminiError, invalid } from './error';
import { generateDialect } from './generate-dialect';
import {
  type GenerateRequest,
  parseCountRequest,
  parseGenerateRequest,
  type Target,
} from './generate-request';
import { sendImages } from './image-format';
import { getModel, listModels } from './models';
import { playVeo, playVeoLook } from './veo';

// Both versions are the same here; the official client's default is v1.
const MODELS_PATH = /^\/v1(?:beta)?\/models(?:\/([^:]+)(?::(\w+))?)?$/;

export function createGemini(deps: ProviderDeps): Provider {
  return {
    name: 'gemini',
    handle(call, path) {
      if (call.req.method === 'GET' && playVeoLook(call, deps, path)) return;
      const match = MODELS_PATH.exec(path);
      if (match === null) return sendError(call, deps, generateDialect, errorOfStatus(404));
      const [, model, method] = match;
      if (call.req.method === 'GET' && method === undefined) {
        const toBody = () => (model === undefined ? listModels() : getModel(model));
        return playLookUp(call, deps, generateDialect, toBody);
      }
      if (call.req.method !== 'POST' || model === undefined || method === undefined) {
        return sendError(call, deps, generateDialect, errorOfStatus(404));
      }
      return play(call, deps, model, method);
    },
  };
}

function play(call: Call, deps: ProviderDeps, model: string, method: string): void | Promise<void> {
  const target = { model, stream: method === 'streamGenerateContent' };
  switch (method) {
    case 'streamGenerateContent':
    case 'generateContent':
      return playGenerate(call, deps, target);
    case 'predictLongRunning':
      return playVeo(call, deps, model);
    case 'countTokens':
      return playCount(call, deps, generateDialect, (body) => parseCountRequest(body, target), toCount);
    default:
      return sendError(call, deps, generateDialect, new GeminiError(404, `Method not found: ${method}`));
  }
}

function playGenerate(call: Call, deps: ProviderDeps, target: Target): Promise<void> {
  const parse = (body: unknown) => {
    // Without it Google sends one JSON list, piece by piece, which is not played.
    if (target.stream && queryOf(call.req.url).get('alt') !== 'sse')
      throw invalid('alt=sse is required here.');
    return parseGenerateRequest(body, target);
  };
  const read = () => readJson(call, deps, generateDialect, parse);
  return playAny<GenerateRequest, Dialect<GenerateRequest>>(call, deps, generateDialect, read, (scene) => {
    const { image } = scene.request;
    return image === null ? reply(scene) : sendImages(scene, image);
  });
}

function toCount(tokens: number) {
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] };
}
