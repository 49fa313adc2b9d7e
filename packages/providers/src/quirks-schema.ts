import { z } from 'zod';

/** Request fields that may be removed: hints, or features that the caller can check in the reply. None of them bounds the cost. */
const DROPPABLE_PARAMETERS = [
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'metadata',
  'parallel_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'temperature',
  'tool_choice',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
] as const;

const SAMPLING_PARAMETERS = ['frequency_penalty', 'presence_penalty', 'temperature', 'top_p'] as const;

/** Extensions that clients send back with their history. */
const DROPPABLE_MESSAGE_FIELDS = [
  'annotations',
  'cache_control',
  'extra_content',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'refusal',
] as const;

/** `detect`, the default: separate if the part is larger than the figure that would include it, or the total includes both. */
const COUNTINGS = ['included', 'separate', 'detect'] as const;

const path = z.string().regex(/^\/[\w./-]{1,200}$/, 'must be a path that begins with /');

/** How a server that is compatible with OpenAI's chat completions deviates from it, as presets and operators configure it. */
export const quirksSchema = z.strictObject({
  /** The field from which it reads the maximum output. Default: `max_tokens`. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  /** It has OpenAI's Responses API, to which calls of that format are passed; false: they are translated. */
  responses: z.boolean().optional(),
  /** False: it refuses `stream_options`, and reports the usage of every stream unasked. */
  stream_options: z.boolean().optional(),
  /** A member of replies and chunks that contains `usage`, which it reports there if not at the top. */
  usage_member: z.enum(['x_groq']).optional(),
  /**
   * Whether `completion_tokens` includes the reasoning tokens. `detect`: larger reasoning that `total_tokens` leaves out is included;
   * `if_larger`: it is separate.
   */
  reasoning_tokens: z.enum([...COUNTINGS, 'if_larger']).optional(),
  /** Whether `prompt_tokens` includes the cached tokens. */
  cached_tokens: z.enum(COUNTINGS).optional(),
  /** Replies may begin with thinking between `<think>` and `</think>`. */
  think_tags: z.boolean().optional(),
  /**
   * How it expects the thinking of earlier turns. Default: `none`. In `reasoning` and `think_tags` only models with the
   * capability `reasoning` receive it.
   */
  reasoning_replay: z
    .enum(['reasoning_content', 'reasoning', 'reasoning_details', 'think_tags', 'none'])
    .optional(),
  /** The field that turns thinking on and off. Default: `reasoning_effort` sets it. */
  thinking_switch: z.enum(['thinking', 'enable_thinking', 'reasoning', 'chat_template_kwargs']).optional(),
  /** Request fields that are removed. */
  dropped_parameters: z.array(z.enum(DROPPABLE_PARAMETERS)).max(DROPPABLE_PARAMETERS.length).optional(),
  /** Sampling parameters that are removed for models with the capability `reasoning`, unless thinking is off. */
  dropped_while_thinking: z.array(z.enum(SAMPLING_PARAMETERS)).max(SAMPLING_PARAMETERS.length).optional(),
  /** Fields that are removed from messages and tools. */
  dropped_message_fields: z
    .array(z.enum(DROPPABLE_MESSAGE_FIELDS))
    .max(DROPPABLE_MESSAGE_FIELDS.length)
    .optional(),
  /** What is sent for the tool choice `required`. */
  required_tool_choice: z.enum(['any', 'auto']).optional(),
  /** What is sent for the choice of one tool by its name. */
  named_tool_choice: z.enum(['required', 'any', 'auto']).optional(),
  /** Content of text parts only is sent as one string. */
  string_content: z.boolean().optional(),
  /** A higher temperature is lowered to this one. */
  max_temperature: z.number().positive().max(2).optional(),
  /** It knows the role `developer`; otherwise `system` is sent. */
  developer_role: z.boolean().optional(),
  /** The content part that it accepts for PDFs. Default: `file`. */
  documents: z.enum(['file', 'document_url', 'none']).optional(),
  /** Path of its model list, after the base URL. Default: `/models`. */
  models_path: path.optional(),
  /** Path of its text completions, after the base URL, or `none`. Default: `/completions`. */
  completions_path: z.union([path, z.literal('none')]).optional(),
  /** Path of its rerank models, after the base URL. Default: `/rerank`. */
  rerank_path: path.optional(),
  /** The field for the number of documents that it returns. Default: `top_n`. */
  rerank_top_field: z.enum(['top_n', 'top_k']).optional(),
  /** It accepts `encoding_format: base64` for embeddings. Default: false; the gateway encodes its floats. */
  embedding_base64: z.boolean().optional(),
  /** The field for the dimensions of embeddings. Default: `dimensions`. */
  embedding_dimensions_field: z.enum(['dimensions', 'output_dimension']).optional(),
  /** It accepts `input_type` for embeddings: `document` or `query`. */
  embedding_input_type: z.boolean().optional(),
});

export type Quirks = z.infer<typeof quirksSchema>;
