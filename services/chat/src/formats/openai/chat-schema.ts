import { z } from 'zod';
import type { ExtensionField } from '../../domain/extension-fields';
import { inputAudio } from '../input-audio';
import { list } from '../list';
import { searchLocation } from '../search-location';

/** A field that a client may omit or send as null. */
const optional = <T extends z.ZodType>(type: T) => type.nullish();

const text = z.string();
/** Any object; not validated, because each key of a huge one would take time. */
const jsonObject = z.custom<Record<string, unknown>>(isJsonObject, 'Invalid input: expected object');

const contentPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) }),
  z.looseObject({ type: z.literal('input_audio'), input_audio: inputAudio }),
  z.looseObject({ type: z.literal('file'), file: jsonObject }),
  z.looseObject({ type: z.literal('refusal'), refusal: text }),
]);

const toolCall = z.looseObject({
  id: z.string(),
  type: z.string(),
  function: optional(z.looseObject({ name: z.string().min(1), arguments: z.string() })),
  custom: optional(jsonObject),
});

const ROLES = ['developer', 'system', 'user', 'assistant', 'tool', 'function'] as const;

export const messageSchema = z.looseObject({
  role: z.enum(ROLES),
  content: optional(z.union([text, list(contentPart)])),
  name: optional(text),
  tool_calls: optional(list(toolCall)),
  tool_call_id: optional(text),
  refusal: optional(text),
  /** An earlier spoken reply. */
  audio: optional(z.looseObject({ id: z.string().min(1) })),
});

const tool = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('function'),
    function: z.looseObject({ name: z.string().min(1), parameters: optional(jsonObject) }),
  }),
  z.looseObject({ type: z.literal('custom'), custom: z.looseObject({ name: z.string().min(1) }) }),
]);

const penalty = z.number().min(-2).max(2);
const maxTokens = z.int().min(1);

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Fields beyond OpenAI's own that providers of this format document; `domain/extension-fields.ts` says what they do. */
const extensions = {
  chat_template_kwargs: optional(jsonObject),
  enable_thinking: optional(z.boolean()),
  min_p: optional(z.number().min(0).max(1)),
  prompt_mode: optional(text),
  random_seed: optional(z.int()),
  reasoning: optional(
    z.looseObject({
      effort: optional(z.enum(EFFORTS)),
      max_tokens: optional(z.int().min(1)),
      enabled: optional(z.boolean()),
    }),
  ),
  repetition_penalty: optional(z.number().min(0).max(2)),
  safe_prompt: optional(z.boolean()),
  thinking: optional(
    z.looseObject({
      type: z.enum(['enabled', 'disabled', 'adaptive']),
      budget_tokens: optional(z.int().min(1)),
    }),
  ),
  top_k: optional(z.int().min(-1)),
} satisfies Record<ExtensionField, z.ZodType>;

const AUDIO_FORMATS = ['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16'] as const;

const audioOptions = z.looseObject({
  format: z.enum(AUDIO_FORMATS),
  voice: z.union([z.string().min(1).max(256), z.looseObject({ id: z.string().min(1).max(256) })]),
});

const webSearchOptions = z.strictObject({
  search_context_size: optional(z.enum(['low', 'medium', 'high'])),
  user_location: optional(
    z.strictObject({
      type: z.literal('approximate'),
      approximate: z.strictObject(searchLocation),
    }),
  ),
});

/**
 * The body of `POST /v1/chat/completions`: every field that the official SDK (openai 7.55) or a provider of this format
 * documents. Other top-level fields are refused; unknown nested fields are passed to the provider unchanged.
 */
export const chatCompletionSchema = z.strictObject({
  ...extensions,
  model: z.string().nullable(),
  /** Each message is checked by `messageSchema`, one by one. */
  messages: z.array(z.unknown()),
  audio: optional(audioOptions),
  frequency_penalty: optional(penalty),
  function_call: optional(z.union([text, jsonObject])),
  functions: optional(list(jsonObject)),
  logit_bias: optional(jsonObject),
  logprobs: optional(z.boolean()),
  max_completion_tokens: optional(maxTokens),
  max_tokens: optional(maxTokens),
  metadata: optional(jsonObject),
  modalities: optional(list(z.enum(['text', 'audio']))),
  moderation: optional(jsonObject),
  n: optional(z.int().min(1).max(128)),
  parallel_tool_calls: optional(z.boolean()),
  prediction: optional(jsonObject),
  presence_penalty: optional(penalty),
  prompt_cache_key: optional(text),
  prompt_cache_options: optional(jsonObject),
  prompt_cache_retention: optional(text),
  reasoning_effort: optional(z.enum(EFFORTS)),
  response_format: optional(z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) })),
  safety_identifier: optional(text),
  seed: optional(z.number()),
  service_tier: optional(text),
  stop: optional(z.union([text, z.array(text).max(4)])),
  store: optional(z.boolean()),
  stream: optional(z.boolean()),
  stream_options: optional(
    z.looseObject({ include_usage: optional(z.boolean()), include_obfuscation: optional(z.boolean()) }),
  ),
  temperature: optional(z.number().min(0).max(2)),
  tool_choice: optional(z.union([text, jsonObject])),
  tools: optional(list(tool)),
  top_logprobs: optional(z.int().min(0).max(20)),
  top_p: optional(z.number().min(0).max(1)),
  user: optional(text),
  verbosity: optional(text),
  web_search_options: optional(webSearchOptions),
});

/** The same, but unknown fields are passed unchanged to a provider of this format. */
export const looseChatCompletionSchema = z.looseObject(chatCompletionSchema.shape);

export type ChatMessage = z.output<typeof messageSchema>;
export type ChatCompletionBody = Omit<z.output<typeof chatCompletionSchema>, 'messages'> & {
  readonly messages: readonly ChatMessage[];
};

const PLAIN_ROLES: ReadonlySet<unknown> = new Set(ROLES);

/** A message with text only, as most are. The schema would accept it too, but copies what it accepts. */
export function isPlainMessage(entry: unknown): entry is ChatMessage {
  if (!isJsonObject(entry)) return false;
  const { role, content, name, tool_calls, tool_call_id, refusal, audio } = entry;
  const more = name ?? tool_calls ?? tool_call_id ?? refusal ?? audio;
  return typeof content === 'string' && more == null && PLAIN_ROLES.has(role);
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
