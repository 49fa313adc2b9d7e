import { isObject } from '@gateway/upstream';
import { z } from 'zod';
import { list } from '../list';
import type { CacheControl, ContentBlock } from './content-block';

/** A field that a client may omit or send as null. */
const optional = <T extends z.ZodType>(type: T) => type.nullish();

const text = z.string();
/** Any object; not validated, because each key of a huge one would take time. */
const jsonObject = z.custom<Record<string, unknown>>(isObject, 'Invalid input: expected object');
const jsonSchemaFormat = z.looseObject({ type: z.literal('json_schema'), schema: jsonObject });

const thinking = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1) }),
  z.looseObject({ type: z.literal('adaptive') }),
  z.looseObject({ type: z.literal('between_tools') }),
  z.looseObject({ type: z.literal('disabled') }),
]);

const parallel = { disable_parallel_tool_use: optional(z.boolean()) };
const toolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), ...parallel }),
  z.looseObject({ type: z.literal('any'), ...parallel }),
  z.looseObject({ type: z.literal('tool'), name: z.string().min(1), ...parallel }),
  z.looseObject({ type: z.literal('none') }),
]);

const outputConfig = z.looseObject({
  effort: optional(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
  format: optional(jsonSchemaFormat),
});

/**
 * The body of `POST /v1/messages`: every field that the official SDK (@anthropic-ai/sdk 1.10) documents, including beta
 * fields, and those that only the older version 2023-06-01 has (`temperature`, `top_p`, `top_k`). Other top-level fields
 * are refused; unknown nested fields are passed to the provider unchanged.
 */
export const messagesSchema = z.strictObject({
  model: z.string().nullable(),
  /** Messages, tools and system blocks are checked by `RequestCheck`, one by one. */
  messages: z.array(z.unknown()),
  /** 0 fills the prompt cache and generates nothing. */
  max_tokens: z.int().min(0),
  billing_policy: optional(jsonObject),
  cache_control: optional(jsonObject),
  compaction: optional(jsonObject),
  container: optional(z.union([text, jsonObject])),
  context_management: optional(jsonObject),
  diagnostics: optional(jsonObject),
  fallback_credit_token: optional(z.union([text, jsonObject])),
  fallbacks: optional(z.union([text, z.array(z.unknown())])),
  inference_geo: optional(text),
  mcp_servers: optional(z.array(z.unknown())),
  metadata: optional(z.looseObject({ user_id: optional(text) })),
  output_config: optional(outputConfig),
  output_format: optional(jsonSchemaFormat),
  service_tier: optional(z.enum(['auto', 'standard_only'])),
  speed: optional(z.enum(['standard', 'fast'])),
  stop_sequences: optional(list(text)),
  stream: optional(z.boolean()),
  system: optional(z.union([text, z.array(z.unknown())])),
  /** Anthropic's own maximum; the other formats' is 2. */
  temperature: optional(z.number().min(0).max(1)),
  thinking: optional(thinking),
  thread: optional(jsonObject),
  tool_choice: optional(toolChoice),
  tools: optional(z.array(z.unknown())),
  top_k: optional(z.int().min(0)),
  top_p: optional(z.number().min(0).max(1)),
});

/** The same, but unknown fields are passed unchanged to a provider of this format. */
export const looseMessagesSchema = z.looseObject(messagesSchema.shape);

/** The body of `POST /v1/messages/count_tokens`, without the fields that control the reply. */
export const countTokensSchema = messagesSchema.omit({
  max_tokens: true,
  metadata: true,
  service_tier: true,
  stop_sequences: true,
  stream: true,
  temperature: true,
  top_k: true,
  top_p: true,
});

export type MessagesBody = Omit<
  z.output<typeof messagesSchema>,
  'messages' | 'system' | 'tools' | 'max_tokens'
> & {
  readonly messages: readonly Message[];
  readonly system?: string | readonly ContentBlock[] | null | undefined;
  readonly tools?: readonly ToolEntry[] | null | undefined;
  /** Absent when tokens are only counted. */
  readonly max_tokens?: number;
};

export interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  /** Absent on a system message that only changes the effort. */
  readonly content?: string | readonly ContentBlock[];
  /** Of a system message: how long the model sees it. */
  readonly clear_at?: string | null;
}

/** A tool of the caller's, or one that Anthropic defines and the caller runs. */
export interface ToolEntry {
  /** Absent or `custom`: the caller's own. */
  readonly type?: string | null;
  readonly name?: string;
  readonly description?: string | null;
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly strict?: boolean | null;
  readonly cache_control?: CacheControl | null;
}
