import type { Quota } from '@gateway/quota';
import { type JsonObject, listOf, membersOf } from '@gateway/upstream';
import type { AudioIds } from '../../domain/audio-ids';
import type { ChatProvider } from '../../domain/chat-provider';
import type { Encoding } from '../../domain/token-estimator';
import { shortenToolId } from '../../domain/tool-ids';
import { COMMON_TOOL_NAMES } from '../../domain/tool-names';
import { readModels } from '../endpoint-models';
import { ModelNameRewriter } from '../model-name-rewriter';
import { rerankApi } from '../rerank';
import { chunkFraming } from './chunk-framing';
import { completionsApi } from './completions';
import { countCompletion } from './count-completion';
import { type CountedRequest, countBound, countPrompt } from './count-prompt';
import { readEmbeddingReply, writeEmbeddingRequest } from './embeddings';
import { moderationsApi } from './moderations';
import { fromOpenAiUsage, serviceTierOf, withTopUsage } from './openai-usage';
import { PassThroughChunks } from './pass-through-chunks';
import { passThroughMembers } from './pass-through-members';
import type { OpenAiQuirks } from './quirks';
import { ChunkReader } from './read-chunks';
import { isCompletionChoice, readCompletion } from './read-completion';
import { readOpeningChunk } from './read-opening';
import { refusedCompletion } from './refused-completion';
import { repairedReply } from './repair-reply';
import { responsesApi } from './responses/responses-api';
import { countSpeech, withSealedAudio } from './speech';
import { ThinkTagChunks, withoutThinkTags } from './think-tags';
import { MAX_TOOL_ID_CHARS, shortToolId } from './write-messages';
import { writeRequest } from './write-request';

export interface OpenAiAccount {
  readonly id: string;
  /** Includes `/v1`. */
  readonly baseUrl: string;
  /** Empty: requests are not authenticated, as for many local servers. */
  readonly apiKey: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks: OpenAiQuirks;
  /** Encoding of its models. */
  readonly encoding: Encoding;
  /** Its models count text by `o200k_base` exactly, so that the gateway can count a request too. */
  readonly countsByO200k: boolean;
}

/** A provider with OpenAI's chat completions API. */
export function openAiProvider(account: OpenAiAccount, bufferQuota: Quota): ChatProvider {
  const { quirks } = account;
  const baseUrl = account.baseUrl.replace(/\/+$/, '');
  const url = new URL(`${baseUrl}/chat/completions`);
  const responsesUrl = new URL(`${baseUrl}/responses`);
  const compactUrl = new URL(`${baseUrl}/responses/compact`);
  const embeddingsUrl = new URL(`${baseUrl}/embeddings`);
  const models = new URL(`${baseUrl}${quirks.modelsPath}`);
  const headers = {
    ...account.headers,
    ...(account.apiKey !== '' && { authorization: `Bearer ${account.apiKey}` }),
    'content-type': 'application/json',
  };
  const readUsage = (holder: JsonObject) =>
    fromOpenAiUsage(withTopUsage(holder, quirks.usageMember).usage, quirks.usage);
  const writeChatRequest: ChatProvider['writeRequest'] = (conversation, ...to) =>
    writeRequest(conversation, ...to, quirks);
  const responding = {
    address: () => ({ url: responsesUrl, headers }),
    compactAddress: () => ({ url: compactUrl, headers }),
    writeChatRequest,
    quirks,
    countsByO200k: account.countsByO200k,
    bufferQuota,
  };
  // If the tier is not sent, the provider reports none that matters.
  const onlyTier = quirks.refusedHints.includes('service_tier') ? 'default' : undefined;
  return {
    id: account.id,
    wire: 'openai',
    encoding: account.encoding,
    audioTokensPerSecond: quirks.audioTokensPerSecond,
    maxTokensField: quirks.maxTokensField,
    lacksFunctions: !quirks.functions,
    needsMaximum: quirks.needsMaximum,
    // Groq and others share OpenAI's rule, and those that do not accept objects too.
    objectOutput: quirks.objectOutput ? 'always' : 'translated',
    ...(quirks.limitsTools && {
      toolLimits: {
        names: COMMON_TOOL_NAMES,
        flatParameters: quirks.flatParameters,
        fitId: quirks.shortToolIds ? shortToolId : shortenToolId(MAX_TOOL_ID_CHARS),
      },
    }),
    address: () => ({ url, headers }),
    writeRequest: writeChatRequest,
    passThroughMembers: (body, capabilities) => passThroughMembers(body, capabilities, quirks),
    isReply: ({ choices }) => isCompletionChoice(membersOf(listOf(choices)[0])),
    readUsage,
    readServiceTier: (reply) => onlyTier ?? serviceTierOf(reply),
    readReply: (reply) => readCompletion(quirks.thinkTags ? withoutThinkTags(reply) : reply),
    readStream: () => new ChunkReader(readUsage, quirks.thinkTags ? new ThinkTagChunks() : undefined),
    framing: chunkFraming,
    readOpening: readOpeningChunk,
    passReply: ({ bytes, value }, model, { request }) => {
      const repaired = shownReply(quirks, value, request.audioIds);
      return repaired
        ? Buffer.from(JSON.stringify({ ...repaired, model }))
        : new ModelNameRewriter(model).inReply(bytes);
    },
    passStream: (options, { request: { audioIds } }) =>
      new PassThroughChunks({ ...options, quirks, bufferQuota, onlyTier, audioIds }),
    countInput: (body) => countPrompt(parse(body)).tokens,
    ...(account.countsByO200k && {
      boundInput: (body: Buffer, budgetMs: number) => countBound(parse(body), budgetMs),
    }),
    countReply: countCompletion,
    countSpeech,
    refusalOf: refusedCompletion,
    ...(quirks.completions && {
      completions: completionsApi({ baseUrl, headers, quirks, completions: quirks.completions, bufferQuota }),
    }),
    ...(quirks.responses && {
      responses: (owner: string) => responsesApi({ ...responding, responses: quirks.responses! }, owner),
      ...(quirks.responses.onlyForSearch && { respondsOnlyToSearch: true as const }),
    }),
    embeddings: {
      returnsBase64: quirks.embeddings.returnsBase64,
      address: () => ({ url: embeddingsUrl, headers }),
      writeRequest: (request, upstreamModel) => writeEmbeddingRequest(request, upstreamModel, quirks),
      readReply: readEmbeddingReply,
    },
    ...(quirks.moderations && {
      moderations: moderationsApi({ url: new URL(`${baseUrl}/moderations`), headers }, quirks.moderations),
    }),
    ...(quirks.rerank && {
      rerank: rerankApi({ url: new URL(`${baseUrl}${quirks.rerank.path}`), headers }, quirks.rerank),
    }),
    modelListing: {
      address: () => ({ url: models, headers }),
      // The context: OpenRouter, vLLM, Groq, LiteLLM. The maximum output: OpenRouter, Groq, LiteLLM.
      // Together AI: a list without `data` around it.
      read: (reply) =>
        readModels(Array.isArray(reply) ? reply : reply.data, (model) => ({
          id: model.id,
          name: model.name,
          contextLength:
            model.context_length ?? model.max_model_len ?? model.context_window ?? model.max_input_tokens,
          maxOutputTokens:
            membersOf(model.top_provider).max_completion_tokens ??
            model.max_completion_tokens ??
            model.max_output_tokens,
        })),
    },
  };
}

/** Returns undefined if a complete reply is shown as it is. */
function shownReply(
  quirks: OpenAiQuirks,
  reply: JsonObject,
  audioIds: AudioIds | undefined,
): JsonObject | undefined {
  const read = quirks.thinkTags ? withoutThinkTags(reply) : reply;
  const repaired = repairedReply(read) ?? read;
  const shown = audioIds ? withSealedAudio(repaired, 'message', audioIds) : repaired;
  return shown === reply ? undefined : shown;
}

/** Reads a body that the gateway has checked or written. */
function parse(body: Buffer): CountedRequest {
  return JSON.parse(body.toString('utf8'));
}
