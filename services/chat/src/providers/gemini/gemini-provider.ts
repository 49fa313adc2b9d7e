import { randomUUID } from 'node:crypto';
import { googleFailure, type JsonObject, listOf } from '@gateway/upstream';
import type { ChatProvider } from '../../domain/chat-provider';
import { ReplyText } from '../../domain/reply-text';
import { GOOGLE_TOOL_NAMES } from '../../domain/tool-names';
import { withSearches } from '../../domain/usage';
import { type ListedEntry, readModels } from '../endpoint-models';
import { addedInputTokens } from './added-input';
import { contentsFraming } from './contents-framing';
import { readGeminiEmbeddingReply, writeGeminiEmbeddingRequest } from './embeddings';
import { geminiModel } from './gemini-model';
import { GeminiStream } from './gemini-stream';
import { readGeminiUsage } from './gemini-usage';
import { queriesOf } from './grounding';
import { PassThroughContents } from './pass-through-contents';
import { ResponseReader } from './response-reader';
import { withSlug } from './whole-contents';
import { wholeReply } from './whole-reply';
import { writeGeminiRequest } from './write-request';
import { refuseSearchBesideFunctions } from './write-tools';

const NO_CHANGES: ReadonlyMap<string, string> = new Map();
/** Up to two URLs per model; the cache is cleared beyond this number. */
const MAX_URLS = 1_000;

export interface GeminiProviderOptions {
  readonly id: string;
  /** Without the API version. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Creates ids for tool calls without one. */
  readonly newToolId?: () => string;
}

/** An account at Google's Gemini API. */
export function geminiProvider({
  id,
  baseUrl,
  apiKey,
  headers: ownHeaders,
  newToolId = newCallId,
}: GeminiProviderOptions): ChatProvider {
  const models = `${baseUrl.replace(/\/+$/, '')}/v1beta/models`;
  // Not in the URL, which would appear in logs.
  const headers = { ...ownHeaders, 'x-goog-api-key': apiKey, 'content-type': 'application/json' };
  const urls = new Map<string, URL>();
  const urlOf = (address: string): URL => {
    let url = urls.get(address);
    if (!url) {
      if (urls.size === MAX_URLS) urls.clear();
      url = new URL(address);
      urls.set(address, url);
    }
    return url;
  };
  return {
    id,
    wire: 'gemini',
    encoding: 'gemini',
    maxTokensField: 'max_tokens',
    toolLimits: { names: GOOGLE_TOOL_NAMES },
    // What Google finds is not billed as input (ai.google.dev/gemini-api/docs/pricing).
    webSearch: {},
    address: ({ upstreamModel, stream }) => ({
      url: urlOf(
        `${models}/${encodeURIComponent(upstreamModel)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      ),
      headers,
    }),
    writeRequest: writeGeminiRequest,
    addedInputTokens,
    passThroughMembers(body, _capabilities, upstreamModel) {
      refuseSearchBesideFunctions(body, geminiModel(upstreamModel));
      return NO_CHANGES;
    },
    passReply: withSlug,
    passStream: (options) => new PassThroughContents(options, newToolId),
    isReply: (reply) => Array.isArray(reply.candidates) || Boolean(reply.promptFeedback),
    readUsage: (reply) => {
      const usage = readGeminiUsage(reply.usageMetadata);
      return usage && withSearches(usage, queriesOf(reply).size);
    },
    countReply: (reply) => countCandidates(reply, newToolId),
    readReply: (reply) => wholeReply(new ResponseReader(newToolId).readWhole(reply)),
    readStream: () => new GeminiStream(newToolId),
    framing: contentsFraming,
    readOpening: (chunk) => {
      const reader = new ResponseReader(newToolId);
      const events = reader.read(chunk);
      if (reader.ended) return 'ended';
      return events.length > 0 ? 'content' : 'waiting';
    },
    refusalOf: googleFailure,
    embeddings: {
      address: (upstreamModel) => ({
        url: urlOf(`${models}/${encodeURIComponent(upstreamModel)}:batchEmbedContents`),
        headers,
      }),
      writeRequest: writeGeminiEmbeddingRequest,
      readReply: readGeminiEmbeddingReply,
    },
    modelListing: {
      address: () => ({ url: urlOf(`${models}?pageSize=1000`), headers }),
      read: ({ models: listed }) => readModels(listed, chatModelOf),
    },
  };
}

/** A caller of this format may ask for several. */
function countCandidates(reply: JsonObject, newToolId: () => string): number {
  let tokens = 0;
  for (const candidate of listOf(reply.candidates)) {
    const text = new ReplyText();
    text.addEvents(new ResponseReader(newToolId).read({ ...reply, candidates: [candidate] }));
    tokens += text.count();
  }
  return tokens;
}

function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`;
}

/** Models of other kinds, such as embeddings, are in the same list. */
function chatModelOf(model: JsonObject): ListedEntry | undefined {
  if (!listOf(model.supportedGenerationMethods).includes('generateContent')) return undefined;
  return {
    id: typeof model.name === 'string' ? model.name.replace(/^models\//, '') : undefined,
    name: model.displayName,
    contextLength: model.inputTokenLimit,
    maxOutputTokens: model.outputTokenLimit,
  };
}
