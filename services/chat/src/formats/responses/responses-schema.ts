import { z } from 'zod';
import { isWebSearchType } from '../../domain/web-search-type';
import { inputAudio } from '../input-audio';
import { list } from '../list';
import { searchLocation } from '../search-location';

/** A field that a client may omit or send as null. */
const optional = <T extends z.ZodType>(type: T) => type.nullish();

const text = z.string();
const jsonObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Invalid input: expected object',
);

const contentPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('input_text'), text }),
  z.looseObject({ type: z.literal('output_text'), text }),
  // Some clients send their own replies back as they keep them.
  z.looseObject({ type: z.literal('text'), text }),
  z.looseObject({ type: z.literal('refusal'), refusal: text }),
  z.looseObject({
    type: z.literal('input_image'),
    image_url: optional(text),
    file_id: optional(text),
    detail: optional(text),
  }),
  // LangChain sends images in the form of chat completions.
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) }),
  z.looseObject({
    type: z.literal('input_file'),
    file_data: optional(text),
    file_url: optional(text),
    file_id: optional(text),
    filename: optional(text),
  }),
  z.looseObject({ type: z.literal('input_audio'), input_audio: inputAudio }),
]);
export type InputPart = z.output<typeof contentPart>;

const content = z.union([text, list(contentPart)]);
const summaryPart = z.looseObject({ text });

/** Items of a conversation, by their type. */
export const itemSchemas = {
  message: z.looseObject({
    type: optional(z.literal('message')),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: optional(content),
  }),
  reasoning: z.looseObject({
    type: z.literal('reasoning'),
    summary: optional(list(summaryPart)),
    content: optional(list(summaryPart)),
    encrypted_content: optional(text),
  }),
  function_call: z.looseObject({
    type: z.literal('function_call'),
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace: optional(text),
    arguments: text,
  }),
  function_call_output: z.looseObject({
    type: z.literal('function_call_output'),
    call_id: z.string().min(1),
    output: content,
  }),
  custom_tool_call: z.looseObject({
    type: z.literal('custom_tool_call'),
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace: optional(text),
    input: text,
  }),
  custom_tool_call_output: z.looseObject({
    type: z.literal('custom_tool_call_output'),
    call_id: z.string().min(1),
    output: content,
  }),
} as const;

/**
 * Items that only a provider of this format can read, as they are: calls of OpenAI's tools that the caller runs, with their outputs,
 * and the summary of a conversation.
 */
const PASSED_ITEM_TYPES = [
  'apply_patch_call',
  'apply_patch_call_output',
  'compaction',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
] as const;

export const passedItemSchema = z.looseObject({
  type: z.enum(PASSED_ITEM_TYPES),
  call_id: optional(text),
  output: optional(z.union([text, list(jsonObject)])),
});
export type PassedItem = z.output<typeof passedItemSchema>;

const PASSED_ITEMS: ReadonlySet<unknown> = new Set(PASSED_ITEM_TYPES);
export const isPassedItem = (item: { readonly type?: unknown }): item is PassedItem =>
  PASSED_ITEMS.has(item.type);

/** Codex sends it to have the conversation before it compacted (OpenAI's OpenAPI document, `CompactionTriggerItemParam`). */
export const isCompactionTrigger = (item: unknown): boolean =>
  typeof item === 'object' && item !== null && 'type' in item && item.type === 'compaction_trigger';

/** Stands for an item of a stored response. */
export const itemReferenceSchema = z.looseObject({
  type: z.literal('item_reference'),
  id: z.string().min(1).max(256),
});
export type ItemReference = z.output<typeof itemReferenceSchema>;

export type ItemType = keyof typeof itemSchemas;
export type InputItem = z.output<(typeof itemSchemas)[ItemType]> | PassedItem;

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: z.string().min(1),
  description: optional(text),
  parameters: optional(jsonObject),
  strict: optional(z.boolean()),
});
const customTool = z.looseObject({
  type: z.literal('custom'),
  name: z.string().min(1),
  description: optional(text),
  format: optional(z.looseObject({ type: text, syntax: optional(text), definition: optional(text) })),
});

/** Tools that the caller runs. Any other type is a tool of a provider. */
export const toolSchemas = {
  function: functionTool,
  custom: customTool,
  namespace: z.looseObject({
    type: z.literal('namespace'),
    name: z.string().min(1),
    description: optional(text),
    tools: list(z.discriminatedUnion('type', [functionTool, customTool])),
  }),
} as const;

/**
 * Whether a tool that a model may use is not offered. Codex declares a search of tools, and one of the web as OpenAI has stored it,
 * in every call, whatever the model. They are left out, also of the response's own list; a call that forces one is refused.
 */
export const isLeftOut = ({
  type,
  external_web_access: online,
}: Readonly<Record<string, unknown>>): boolean =>
  type === 'tool_search' || (isWebSearchType(type) && online === false);

/** A search by the provider. How much of the pages the model sees is the provider's choice. */
export const webSearchTool = z.strictObject({
  type: text,
  filters: optional(
    z.strictObject({
      allowed_domains: optional(z.array(z.string().min(1).max(256)).max(100)),
      blocked_domains: optional(z.array(z.string().min(1).max(256)).max(100)),
    }),
  ),
  user_location: optional(
    z.strictObject({
      type: optional(z.literal('approximate')),
      ...searchLocation,
    }),
  ),
  search_context_size: optional(z.enum(['low', 'medium', 'high'])),
  /** Only OpenAI finds images; elsewhere the results are texts. */
  search_content_types: optional(z.array(z.enum(['text', 'image'])).max(2)),
  external_web_access: optional(z.literal(true)),
  return_token_budget: optional(z.literal('default')),
});

export type CallerTool = z.output<typeof functionTool> | z.output<typeof customTool>;
export type DeclaredTool = z.output<(typeof toolSchemas)[keyof typeof toolSchemas]>;

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/**
 * The body of `POST /v1/responses`: every field of OpenAI's OpenAPI document (2026-08-21) and of the official SDK (openai 7.57).
 * Other top-level fields are refused, unless the operator forwards them. Input items and tools are checked one by one.
 */
export const responsesSchema = z.strictObject({
  model: z.string().nullable(),
  input: z.union([text, z.array(z.unknown())]),
  instructions: optional(text),
  tools: optional(z.array(z.unknown())),
  tool_choice: optional(z.union([text, jsonObject])),
  parallel_tool_calls: optional(z.boolean()),
  max_output_tokens: optional(z.int().min(1)),
  max_tool_calls: optional(z.int().min(1)),
  reasoning: optional(
    z.looseObject({
      effort: optional(z.enum(EFFORTS)),
      summary: optional(text),
      generate_summary: optional(text),
    }),
  ),
  text: optional(
    z.looseObject({
      format: optional(z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) })),
      verbosity: optional(text),
    }),
  ),
  temperature: optional(z.number().min(0).max(2)),
  top_p: optional(z.number().min(0).max(1)),
  top_logprobs: optional(z.int().min(0).max(20)),
  include: optional(z.array(text).max(50)),
  stream: optional(z.boolean()),
  stream_options: optional(jsonObject),
  truncation: optional(z.enum(['auto', 'disabled'])),
  metadata: optional(jsonObject),
  user: optional(text),
  safety_identifier: optional(text),
  prompt_cache_key: optional(text),
  prompt_cache_options: optional(jsonObject),
  prompt_cache_retention: optional(text),
  service_tier: optional(text),
  store: optional(z.boolean()),
  background: optional(z.boolean()),
  previous_response_id: optional(text),
  conversation: optional(z.union([text, jsonObject])),
  prompt: optional(jsonObject),
  moderation: optional(jsonObject),
  context_management: optional(z.array(jsonObject)),
  /** Of Codex; OpenAI ignores it. */
  client_metadata: optional(jsonObject),
});

export const looseResponsesSchema = z.looseObject(responsesSchema.shape);

export type ResponsesBody = z.output<typeof responsesSchema>;
