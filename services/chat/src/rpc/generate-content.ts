import { GatewayError } from '@gateway/errors';
import { parseJsonObject } from '@gateway/json-body';
import { jsonReply, type LinkCall, type LinkHandler, type LinkReply } from '@gateway/link';
import { isObject } from '@gateway/upstream';
import type { AnswerChat } from '../app/answer-chat';
import type { AnswerWholeReply } from '../app/answer-whole-reply';
import { embeddingCall } from '../app/embedding-call';
import type { UnknownFields } from '../domain/caller-request';
import { resolveChatModel } from '../domain/model';
import { AUDIO_TOKENS_PER_SECOND } from '../domain/upper-bound';
import { BODY_BOUNDS } from '../formats/body-bounds';
import { parseBatchEmbedContents, parseEmbedContent } from '../formats/gemini/embed-request';
import { writeContentEmbedding, writeContentEmbeddings } from '../formats/gemini/embeddings-reply';
import { conversationOf, parseGenerateContent } from '../formats/gemini/gemini-request';
import { toJsonArray } from '../sse/json-array';
import { type CountTokensDeps, countWithin } from './count-tokens';

interface ModelAction {
  readonly model: string;
  readonly action: string;
}

const PATH = /^\/v1(?:beta)?\/(?:models\/(.+)|([^/]+\/.+)):([A-Za-z]+)$/;

/**
 * Returns the model and the action of a path such as `/v1beta/models/google/gemini-3.5-flash:generateContent`; `models/` may be
 * missing before a name with a provider.
 */
export function modelActionOf(path: string): ModelAction | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const [, named, withProvider, action] = PATH.exec(decoded) ?? [];
  const name = named ?? withProvider;
  return name === undefined || action === undefined
    ? undefined
    : { model: name.replace(/^models\//, ''), action };
}

export interface GenerateContentDeps extends CountTokensDeps {
  readonly answer: AnswerChat;
  readonly embed: AnswerWholeReply;
  readonly unknownFields: UnknownFields;
}

/**
 * `POST /v1beta/models/{model}:generateContent`, `:streamGenerateContent`, `:countTokens` and embeddings, also under `/v1` and
 * without `models/`.
 */
export function generateContent(deps: GenerateContentDeps): LinkHandler {
  const { answer, embed, unknownFields } = deps;
  return async (context, call) => {
    const { model, action } = modelActionOf(call.path) ?? { model: '', action: '' };
    if (action === 'embedContent')
      return embed(context, call, embeddingCall(parseEmbedContent(call.body, model), writeContentEmbedding));
    if (action === 'batchEmbedContents')
      return embed(
        context,
        call,
        embeddingCall(parseBatchEmbedContents(call.body, model), writeContentEmbeddings),
      );
    if (action === 'countTokens') return countContents(deps, model)(context, call);
    const stream = action === 'streamGenerateContent';
    if (!stream && action !== 'generateContent') throw new GatewayError('not_found');
    const isArray = stream && asksForArray(call);
    const reply = await answer(
      context,
      call,
      parseGenerateContent(call.body, { model, stream }, unknownFields),
    );
    return isArray ? asArray(reply) : reply;
  };
}

/** @throws GatewayError `invalid_request` for another form than server-sent events and JSON */
function asksForArray({ query }: LinkCall): boolean {
  const alt = new URLSearchParams(query ?? '').get('alt') ?? 'json';
  if (alt !== 'sse' && alt !== 'json')
    throw new GatewayError('invalid_request', { detail: 'alt: must be sse or json' });
  return alt === 'json';
}

/** Returns the stream as an array that is sent element by element. */
function asArray({ status, headers, body }: LinkReply): LinkReply {
  if (Buffer.isBuffer(body)) throw new Error('not a stream');
  return { status, headers: { ...headers, 'content-type': JSON_TYPE }, body: toJsonArray(body) };
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Counted by the gateway, whichever provider owns the model; free. */
function countContents(
  { models, admission, counting, unknownFields }: GenerateContentDeps,
  model: string,
): LinkHandler {
  return async (context, call) => {
    const { value } = parseJsonObject(call.body, BODY_BOUNDS);
    const { generateContentRequest: inner } = value;
    const conversation = conversationOf(isObject(inner) ? inner : value, unknownFields);
    resolveChatModel(models, model, call.key);
    const headers = await admission.admitFree(context, call);
    const totalTokens = countWithin(
      counting,
      call.key.accountId,
      conversation,
      AUDIO_TOKENS_PER_SECOND.usual,
    );
    return jsonReply({ totalTokens }, headers);
  };
}
