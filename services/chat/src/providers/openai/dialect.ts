import { EXTENSION_FIELDS, type ExtensionField } from '../../domain/extension-fields';
import type { MaxTokensField } from '../../domain/passed-change';

/** In what providers of this format differ when they are written to. */
export interface OpenAiDialect {
  readonly maxTokensField: MaxTokensField;
  /**
   * Its models write on to the end of their context if no maximum is named. `where_it_fits`: one that the context has
   * no room for beside the prompt is refused.
   */
  readonly needsMaximum: false | 'always' | 'where_it_fits';
  /** Streams tell their usage only when asked; absent: they always do, and do not know the question. */
  readonly asksForUsage: boolean;
  /** Of a message: extensions of others, which clients send along with their history. It refuses these too. */
  readonly foreignFields: readonly string[];
  /** What it documents beyond OpenAI's own fields. */
  readonly ownFields: readonly ExtensionField[];
  readonly seedField: 'seed' | 'random_seed';
  /** Absent: there is no such field. */
  readonly endUserField?: 'safety_identifier' | 'user';
  /** Fields that it refuses to see, though they are only hints. */
  readonly refusedHints: readonly string[];
  /** Sampling parameters that models with reasoning refuse unless they are told not to think. */
  readonly notWhileThinking: readonly string[];
  /** Thinking is turned on and off by `thinking`, which has only the member `type`; else by an effort. */
  readonly thinkingSwitch: boolean;
  /** A model that thinks cannot be forced to call a tool. */
  readonly forcesToolsOnlyUnthinking: boolean;
  /**
   * How its models get the reasoning of earlier turns: in the field it came in, or, where they reason, as `thinking`
   * parts of the content. Absent: not at all.
   */
  readonly reasoningReplay?: 'reasoning_content' | 'thinking_parts';
  /**
   * Its replies differ from the format: content as a list of `thinking` and `text` parts, tool calls without `type` or
   * `index`. They are repaired where they pass through.
   */
  readonly repairsReplies: boolean;
  /** It refuses an assistant's message with neither content nor calls. */
  readonly refusesEmptyTurns: boolean;
  /** It knows `tool_choice.allowed_tools`. */
  readonly allowsTools: boolean;
  /** Ids of tool calls are nine letters and digits. */
  readonly shortToolIds: boolean;
  /** Its order of roles: no user's message after a tool's, instructions only in front, no assistant's at the end. */
  readonly strictOrder: boolean;
  /** The part that holds a PDF; absent: it takes none. */
  readonly documentPart?: 'file' | 'document_url';
}

/** What our own replies have beyond the format, and hints for other providers. */
const EXTENSIONS = ['cache_control', 'extra_content', 'reasoning', 'reasoning_content', 'reasoning_details'];

const COMMON: OpenAiDialect = {
  maxTokensField: 'max_tokens',
  needsMaximum: false,
  asksForUsage: true,
  ownFields: [],
  seedField: 'seed',
  refusedHints: [],
  foreignFields: [],
  notWhileThinking: [],
  thinkingSwitch: false,
  forcesToolsOnlyUnthinking: false,
  repairsReplies: false,
  refusesEmptyTurns: false,
  allowsTools: false,
  shortToolIds: false,
  strictOrder: false,
};

/**
 * - openai: parameters of reasoning models: developers.openai.com, guide "Using GPT-5.4", "parameter
 *   compatibility", and the SDK's docstrings (openai 7.55).
 * - deepseek: api-docs.deepseek.com/guides/thinking_mode; forced tools: deepseek-ai/DeepSeek-V3#1376.
 * - mistral: docs.mistral.ai/api refuses every field that it does not know: openai-agents-python#442 (usage),
 *   litellm#30835 (thoughts of the history);
 *   reasoning in parts: docs.mistral.ai/inference/conversations/reasoning; sent back as `ThinkChunk`s:
 *   @mistralai/mistralai 2.7, `AssistantMessage`; empty turns: mistral-common, `validator.py`;
 *   ids and the order of roles: mistral-common, mistralai/client-js#69, avante.nvim#2562, swarmauri-sdk#162.
 * - xai: docs.x.ai; penalties are refused by all models since Grok 4: new-api#6081.
 */
export const DIALECTS = {
  openai: {
    ...COMMON,
    maxTokensField: 'max_completion_tokens',
    endUserField: 'safety_identifier',
    foreignFields: EXTENSIONS,
    notWhileThinking: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
    allowsTools: true,
    documentPart: 'file',
  },
  deepseek: {
    ...COMMON,
    ownFields: ['thinking'],
    thinkingSwitch: true,
    forcesToolsOnlyUnthinking: true,
    reasoningReplay: 'reasoning_content',
  },
  mistral: {
    ...COMMON,
    needsMaximum: 'where_it_fits',
    asksForUsage: false,
    refusedHints: [
      'prompt_cache_options',
      'prompt_cache_retention',
      'safety_identifier',
      'service_tier',
      'store',
      'stream_options',
      'user',
      'verbosity',
    ],
    foreignFields: [
      ...EXTENSIONS,
      'annotations',
      'audio',
      'function_call',
      'prompt_cache_breakpoint',
      'refusal',
    ],
    ownFields: ['prompt_mode', 'random_seed', 'safe_prompt'],
    seedField: 'random_seed',
    shortToolIds: true,
    strictOrder: true,
    reasoningReplay: 'thinking_parts',
    repairsReplies: true,
    refusesEmptyTurns: true,
    documentPart: 'document_url',
  },
  xai: {
    ...COMMON,
    // The older name is deprecated, and nothing says that it bounds what is thought (docs.x.ai, chat completions).
    maxTokensField: 'max_completion_tokens',
    needsMaximum: 'always',
    endUserField: 'user',
    foreignFields: EXTENSIONS,
    refusedHints: ['presence_penalty', 'frequency_penalty'],
  },
  /** The simulator, and whatever says that it is compatible. */
  common: { ...COMMON, ownFields: EXTENSION_FIELDS, documentPart: 'file' },
} as const satisfies Record<string, OpenAiDialect>;
