import { MAX_CHUNKS } from '../../domain/directive';
import { audioSeconds } from '../../domain/files/audio-seconds';
import type { PromptMessage, PromptRole } from '../../domain/prompt';
import { DEFAULT_OPTIONS, type ReplyOptions } from '../../domain/reply';
import { instanceOf } from '../../domain/schema-instance';
import { maxSpokenText, type SpokenRequest } from '../../domain/spoken-reply';
import type { ReplyContext, TextRequest } from '../chat-protocol';
import { isObject, type Json } from '../json';
import { invalid, missing, wrongType } from './error';
import { OPENAI_QUIRKS, type Quirks } from './quirks';
import { forcedCall } from './tool-choice';

export interface ChatRequest extends TextRequest {
  readonly includeUsage: boolean;
  readonly separateReasoning: boolean;
  readonly mistralFormat: boolean;
  readonly serviceTier: string;
}

const ROLES: ReadonlySet<string> = new Set<PromptRole>([
  'developer',
  'system',
  'user',
  'assistant',
  'tool',
  'function',
]);
export const MAX_N = 128;

/** @throws ProviderError */
export function parseChatRequest(body: unknown, quirks = OPENAI_QUIRKS): ChatRequest {
  if (!isObject(body)) throw invalid('We could not parse the JSON body of your request as an object.');
  const { model, messages, tools = [] } = body;
  if (typeof model !== 'string' || model === '') throw invalid('you must provide a model parameter');
  if (messages === undefined) throw missing('messages');
  if (!Array.isArray(messages)) throw wrongType('messages', 'an array of objects');
  if (messages.length === 0) {
    throw invalid("Invalid 'messages': empty array.", 'messages', 'empty_array');
  }
  if (tools !== null && !Array.isArray(tools)) throw wrongType('tools', 'an array of objects');
  const stream = body.stream === true;
  const streamOptions = body.stream_options;
  if (streamOptions != null && quirks.alwaysReportsUsage) {
    throw invalid('Extra inputs are not permitted', 'stream_options');
  }
  if (streamOptions != null && !stream) {
    throw invalid(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  }
  const spoken = parseSpoken(body, stream);
  return {
    model,
    ...(spoken && { spoken }),
    prompt: {
      messages: messages.map((message, index) => parseMessage(message, index, quirks)),
      tools: tools ?? [],
    },
    stream,
    includeUsage:
      quirks.alwaysReportsUsage || (isObject(streamOptions) && streamOptions.include_usage === true),
    separateReasoning: quirks.separateReasoning,
    mistralFormat: quirks.mistralFormat,
    n: positive(body, 'n', MAX_N) ?? 1,
    options: parseReplyOptions(body, tools ?? [], spoken),
    serviceTier: parseServiceTier(body.service_tier),
  };
}

const FORMATS = new Set(['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16']);

function parseSpoken({ modalities, audio, ...body }: Json, stream: boolean): SpokenRequest | undefined {
  if (!Array.isArray(modalities) || !modalities.includes('audio')) return undefined;
  if (!isObject(audio)) throw missing('audio');
  const { format, voice } = audio;
  if (typeof format !== 'string' || !FORMATS.has(format)) throw wrongType('audio.format', 'a known format');
  if (typeof voice !== 'string' && !isObject(voice)) throw missing('audio.voice');
  if (stream && format !== 'pcm16')
    throw invalid("'audio.format' must be 'pcm16' in a stream.", 'audio.format');
  return { format, maxTokens: parseMaxTokens(body) };
}

function parseReplyOptions(
  body: Json,
  tools: readonly unknown[],
  spoken: SpokenRequest | undefined,
): ReplyOptions {
  return {
    ...DEFAULT_OPTIONS,
    maxTokens: spoken ? maxSpokenText(spoken.maxTokens) : parseMaxTokens(body),
    stopSequences: [body.stop]
      .flat()
      .filter((stop): stop is string => typeof stop === 'string' && stop !== ''),
    toolCall: forcedCall(body.tool_choice, tools),
    text: formattedText(body.response_format),
  };
}

function parseMessage(message: unknown, index: number, { mistralFormat }: Quirks): PromptMessage {
  const at = `messages[${index}]`;
  if (!isObject(message)) throw wrongType(at, 'an object');
  const { role, content, name, tool_calls, audio } = message;
  if (role === undefined) throw missing(`${at}.role`);
  if (typeof role !== 'string' || !ROLES.has(role)) {
    throw invalid(`Invalid value for '${at}.role'.`, `${at}.role`, 'invalid_value');
  }
  const calls = Array.isArray(tool_calls) ? tool_calls : [];
  if (content === undefined && calls.length === 0 && !isObject(message.function_call) && !isObject(audio)) {
    throw missing(`${at}.content`);
  }
  if (mistralFormat && role === 'assistant') {
    if ('reasoning_content' in message) {
      throw invalid('Extra inputs are not permitted', `${at}.reasoning_content`);
    }
    if (
      calls.length === 0 &&
      (content == null || content === '' || (Array.isArray(content) && content.length === 0))
    )
      throw invalid('Assistant message must have either content or tool_calls, but not none.', at);
  }
  return {
    role: role as PromptRole,
    name: typeof name === 'string' ? name : null,
    ...withEarlierAudio(parseContent(content, `${at}.content`), audio, `${at}.audio`),
    signedParts: 0,
    toolCalls: calls.filter(isObject).map((call) => {
      const callee = isObject(call.function) ? call.function : {};
      return { name: String(callee.name ?? ''), arguments: String(callee.arguments ?? '') };
    }),
  };
}

type Content = Pick<PromptMessage, 'texts' | 'otherParts' | 'audioTokens'>;

/** Ids of spoken replies end with their tokens. */
const AUDIO_ID = /^audio_[0-9a-f]+_(\d{1,9})$/;

function withEarlierAudio(content: Content, audio: unknown, at: string): Content {
  if (!isObject(audio)) return content;
  const [, tokens] = AUDIO_ID.exec(String(audio.id)) ?? [];
  if (tokens === undefined) throw invalid(`Audio with id '${String(audio.id)}' not found.`, `${at}.id`);
  return { ...content, audioTokens: (content.audioTokens ?? 0) + Number(tokens) };
}

/** A token for 100 ms of a user's audio. */
const AUDIO_TOKENS_PER_SECOND = 10;

function audioTokens({ data, format }: Json, at: string): number {
  if (typeof data !== 'string' || data === '') throw missing(`${at}.data`);
  if (format !== 'wav' && format !== 'mp3')
    throw invalid(`Invalid value for '${at}.format'.`, `${at}.format`);
  return Math.ceil(audioSeconds(Buffer.from(data, 'base64')) * AUDIO_TOKENS_PER_SECOND);
}

function parseContent(content: unknown, at: string): Content {
  if (content == null) return { texts: [], otherParts: 0 };
  if (typeof content === 'string') return { texts: [content], otherParts: 0 };
  if (!Array.isArray(content)) throw wrongType(at, 'a string or an array of objects');
  const texts: string[] = [];
  let heard = 0;
  let others = 0;
  for (const part of content) {
    if (!isObject(part) || typeof part.type !== 'string') throw missing(`${at}[].type`);
    const text =
      part.type === 'refusal' ? part.refusal : part.type === 'thinking' ? thoughtOf(part) : part.text;
    if (typeof text === 'string') texts.push(text);
    else if (isObject(part.input_audio)) heard += audioTokens(part.input_audio, `${at}[].input_audio`);
    else others++;
  }
  return { texts, otherParts: others, ...(heard > 0 && { audioTokens: heard }) };
}

/** Returns the text of Mistral's thinking part: `{type: "thinking", thinking: [{type: "text", text}]}`. */
function thoughtOf({ thinking }: Json): string {
  const pieces = Array.isArray(thinking) ? thinking.filter(isObject) : [];
  return pieces.map(({ text }) => String(text ?? '')).join('');
}

function parseMaxTokens(body: Json): number {
  const old = positive(body, 'max_tokens', Number.MAX_SAFE_INTEGER);
  const current = positive(body, 'max_completion_tokens', Number.MAX_SAFE_INTEGER);
  if (old !== undefined && current !== undefined) {
    throw invalid("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.");
  }
  return current ?? old ?? Number.POSITIVE_INFINITY;
}

/** Returns a text in the requested format; null for plain text. */
function formattedText(format: unknown): string | null {
  if (!isObject(format)) return null;
  if (format.type === 'json_object') return '{}';
  if (format.type !== 'json_schema' || !isObject(format.json_schema)) return null;
  return JSON.stringify(instanceOf(format.json_schema.schema));
}

// The reply names the tier that served the call, which is never "auto".
function parseServiceTier(tier: unknown): string {
  if (tier === 'fast' || tier === 'priority') return 'priority';
  return tier === 'flex' || tier === 'scale' ? tier : 'default';
}

function positive(body: Json, param: string, max: number): number | undefined {
  const value = body[param];
  if (value == null) return undefined;
  if (!Number.isInteger(value)) throw wrongType(param, 'an integer');
  if ((value as number) < 1 || (value as number) > max) {
    throw invalid(`Invalid '${param}': out of range.`, param, 'integer_out_of_range');
  }
  return value as number;
}

/** All choices together are at most ten times as long as the longest single reply. */
export function checkReplySize({ request, reply }: ReplyContext<ChatRequest>): void {
  if (reply.pieces.length * request.n > 10 * MAX_CHUNKS)
    throw invalid("Invalid 'n': so long a reply can't have so many choices.", 'n');
}
