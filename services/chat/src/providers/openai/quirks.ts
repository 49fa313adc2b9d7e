import { EXTENSION_FIELDS, type ExtensionField } from '../../domain/extension-fields';
import type { MaxTokensField } from '../../domain/pass-through-change';
import { AUDIO_TOKENS_PER_SECOND } from '../../domain/upper-bound';
import type { UsageMode } from '../../domain/usage';
import type { RerankQuirks } from '../rerank';
import type { ModerationQuirks } from './moderations';

/** How a provider of this format deviates from it. */
export interface OpenAiQuirks {
  readonly maxTokensField: MaxTokensField;
  /**
   * Its models continue to the end of their context if no maximum is given. `where_it_fits`: it refuses a maximum that does
   * not fit into the context beside the prompt.
   */
  readonly needsMaximum: false | 'always' | 'where_it_fits';
  /** Streams report usage only on request; false: streams always report it, and the provider does not know the option. */
  readonly asksForUsage: boolean;
  /** How its usage figures count reasoning and cached tokens. */
  readonly usage: UsageMode;
  /** A member of replies and chunks that contains the usage if it is not at the top. */
  readonly usageMember?: string;
  /** Its replies may begin with thinking between `<think>` and `</think>`. */
  readonly thinkTags: boolean;
  /** Members of messages, extensions of other providers, that clients send with their history and the provider refuses. */
  readonly unsupportedFields: readonly string[];
  /** Fields that it documents beyond OpenAI's own. */
  readonly ownFields: readonly ExtensionField[];
  readonly seedField: 'seed' | 'random_seed';
  /** Absent: there is no such field. */
  readonly endUserField?: 'safety_identifier' | 'user';
  /** Fields that are removed: it refuses them although they are only hints, or an operator dropped them. */
  readonly refusedHints: readonly string[];
  /** Sampling parameters that models with reasoning refuse unless thinking is disabled. */
  readonly notWhileThinking: readonly string[];
  /**
   * The field that switches thinking on and off, of which `thinking` has only the member `type`; an effort that it accepts is
   * sent as such. Absent: thinking is set by an effort.
   */
  readonly thinkingSwitch?: ThinkingSwitch;
  /** A model that thinks can't be forced to call a tool. */
  readonly forcesToolsOnlyUnthinking: boolean;
  /**
   * How its models receive the reasoning of earlier turns: in the field that it came in, within tags at the start of the
   * content, or, for models that reason, as `thinking` parts of the content. Absent: not at all.
   */
  readonly reasoningReplay?: ReasoningReplay;
  /** Its streams have chunks with only the results of a content filter, which are not passed to callers. */
  readonly sendsFilterChunks: boolean;
  /** It refuses an assistant message with neither content nor calls. */
  readonly refusesEmptyTurns: boolean;
  /** It supports `tool_choice.allowed_tools`. */
  readonly allowsTools: boolean;
  /** What it is sent for the tool choice `required`; absent: that word. */
  readonly requiredToolChoice?: 'any' | 'auto';
  /** What it is sent for the choice of one tool by its name; absent: the name. */
  readonly namedToolChoice?: 'required' | 'any' | 'auto';
  /** It refuses names of tools that OpenAI refuses, and long ids of their calls; false: compatible servers differ. */
  readonly limitsTools: boolean;
  /** It refuses alternatives at the root of a tool's parameters; compatible servers differ. */
  readonly flatParameters: boolean;
  /** It refuses a schema for the output whose root is not an object; compatible servers differ. */
  readonly objectOutput: boolean;
  /** Ids of tool calls are nine letters and digits. */
  readonly shortToolIds: boolean;
  /** Its order of roles: no user message after a tool's, instructions only first, no assistant message last. */
  readonly strictOrder: boolean;
  /** The part that holds a PDF; absent: PDFs are not supported. */
  readonly documentPart?: 'file' | 'document_url';
  /** It accepts text only as a string, not as parts. */
  readonly stringContent: boolean;
  /** The maximum of `temperature`; absent: that of the format. */
  readonly maxTemperature?: number;
  /** It knows the role `developer`; otherwise its messages are sent as `system`. */
  readonly developerRole: boolean;
  /** It knows `functions` and `function_call`, the older form of tools; other servers refuse or ignore them. */
  readonly functions: boolean;
  /** Of a prompt. */
  readonly audioTokensPerSecond: number;
  /** Path of its model list, after the base URL. */
  readonly modelsPath: string;
  readonly embeddings: EmbeddingQuirks;
  /** Absent: calls of its format are translated to chat completions. */
  readonly responses?: ResponsesQuirks;
  /** Absent: it has no text completions. */
  readonly completions?: CompletionQuirks;
  /** Absent: it has no moderations. */
  readonly moderations?: ModerationQuirks;
  /** Absent: it has no rerank models. Its replies are in the format of Jina AI or Voyage AI. */
  readonly rerank?: RerankQuirks & {
    /** After the base URL. */
    readonly path: string;
  };
}

/** How its Responses API deviates. */
export interface ResponsesQuirks {
  /** The field that bounds what its own tools may do. */
  readonly maxCallsField: 'max_tool_calls' | 'max_turns';
  /** The field with the domains that a search leaves out. */
  readonly blockedDomainsField: 'blocked_domains' | 'excluded_domains';
  /** Searches accept a location, and hints about their results. */
  readonly knowsLocation: boolean;
  /** Searches return the addresses that they found, on request. */
  readonly returnsSources: boolean;
  /** The tool choice that forces a search. */
  readonly searchChoice: 'required' | { readonly type: 'web_search' };
  /** It compacts conversations: at an endpoint of its own, and where the last item of the input asks for it. */
  readonly compacts: boolean;
  /** It deviates further, so no call passes through, and it is used only for what chat completions lack: a search of the web. */
  readonly onlyForSearch?: true;
}

/** How its text completions deviate. */
export interface CompletionQuirks {
  /** After the base URL. */
  readonly path: string;
  /** It takes one text as its prompt, neither several nor tokens. */
  readonly onlyText: boolean;
  /** Fields that it does not know and the caller would miss. */
  readonly unsupported: readonly string[];
  /** Its replies and chunks are those of chat completions. */
  readonly repliesAsChat: boolean;
}

/** How its embeddings deviate. */
export interface EmbeddingQuirks {
  /** It accepts `encoding_format: base64`. */
  readonly returnsBase64: boolean;
  readonly dimensionsField: 'dimensions' | 'output_dimension';
  /** It accepts `input_type` in the words of Voyage AI. */
  readonly acceptsInputType: boolean;
  /** It accepts tokens as inputs. */
  readonly acceptsTokens: boolean;
}

export type ThinkingSwitch = 'thinking' | 'enable_thinking' | 'reasoning' | 'chat_template_kwargs';
export type ReasoningReplay =
  | 'reasoning_content'
  | 'reasoning'
  | 'reasoning_details'
  | 'think_tags'
  | 'thinking_parts';

/** Members that our own replies add to the format, and hints for other providers. */
const EXTENSIONS = ['cache_control', 'extra_content', 'reasoning', 'reasoning_content', 'reasoning_details'];

/** Of OpenAI's models. */
const NOT_WHILE_THINKING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'];

const EMBEDDINGS: EmbeddingQuirks = {
  returnsBase64: false,
  dimensionsField: 'dimensions',
  acceptsInputType: false,
  acceptsTokens: true,
};
const BASE64_EMBEDDINGS: EmbeddingQuirks = { ...EMBEDDINGS, returnsBase64: true };

const COMPLETIONS: CompletionQuirks = {
  path: '/completions',
  onlyText: false,
  unsupported: [],
  repliesAsChat: false,
};

/** OpenAI's. */
const RESPONSES: ResponsesQuirks = {
  compacts: true,
  maxCallsField: 'max_tool_calls',
  blockedDomainsField: 'blocked_domains',
  knowsLocation: true,
  returnsSources: true,
  searchChoice: { type: 'web_search' },
};

/** Few of the servers that have the API compact conversations. */
export const COMPATIBLE_RESPONSES: ResponsesQuirks = { ...RESPONSES, compacts: false };

/** docs.x.ai, guides "Responses API" and "Web Search". */
const XAI_RESPONSES: ResponsesQuirks = {
  ...COMPATIBLE_RESPONSES,
  maxCallsField: 'max_turns',
  blockedDomainsField: 'excluded_domains',
  knowsLocation: false,
  returnsSources: false,
  searchChoice: 'required',
  onlyForSearch: true,
};

/** Jina AI's, which vLLM, LocalAI and Infinity have too. */
const RERANK = { path: '/rerank', topField: 'top_n', cutsDocuments: false } as const;

const COMMON: OpenAiQuirks = {
  audioTokensPerSecond: AUDIO_TOKENS_PER_SECOND.usual,
  maxTokensField: 'max_tokens',
  needsMaximum: false,
  asksForUsage: true,
  usage: { reasoning: 'detect', cached: 'detect' },
  thinkTags: false,
  ownFields: [],
  seedField: 'seed',
  refusedHints: [],
  unsupportedFields: [],
  notWhileThinking: [],
  forcesToolsOnlyUnthinking: false,
  sendsFilterChunks: false,
  refusesEmptyTurns: false,
  allowsTools: false,
  limitsTools: false,
  flatParameters: false,
  objectOutput: false,
  shortToolIds: false,
  strictOrder: false,
  stringContent: false,
  developerRole: false,
  functions: false,
  modelsPath: '/models',
  embeddings: EMBEDDINGS,
};

/**
 * Sources:
 * - openai: parameters of reasoning models: developers.openai.com, guide "Using GPT-5.4", "parameter
 *   compatibility", and the SDK's docstrings (openai 7.55).
 * - deepseek: api-docs.deepseek.com/guides/thinking_mode; forced tools: deepseek-ai/DeepSeek-V3#1376.
 * - mistral: docs.mistral.ai/api refuses every unknown field: openai-agents-python#442 (usage), litellm#30835 (thinking
 *   in the history); reasoning in parts: docs.mistral.ai/inference/conversations/reasoning; sent back as `ThinkChunk`s:
 *   @mistralai/mistralai 2.7, `AssistantMessage`; empty turns: mistral-common, `validator.py`; ids and the order of roles:
 *   mistral-common, mistralai/client-js#69, avante.nvim#2562, swarmauri-sdk#162.
 * - azure: learn.microsoft.com/azure/foundry/openai, content-streaming; it has no parts for files: pydantic-ai,
 *   `providers/azure.py`. An end user's id is omitted: models of other makers refuse the field, and the older `user` spreads
 *   calls over caches (dify-official-plugins#3008).
 * - xai: docs.x.ai; penalties are refused by all models since Grok 4: new-api#6081; some models count cached tokens
 *   separately, also at Azure: vercel/ai, `convert-xai-chat-usage.ts`.
 */
export const QUIRKS = {
  openai: {
    ...COMMON,
    limitsTools: true,
    flatParameters: true,
    objectOutput: true,
    audioTokensPerSecond: AUDIO_TOKENS_PER_SECOND.openai,
    maxTokensField: 'max_completion_tokens',
    endUserField: 'safety_identifier',
    unsupportedFields: EXTENSIONS,
    notWhileThinking: NOT_WHILE_THINKING,
    allowsTools: true,
    developerRole: true,
    functions: true,
    documentPart: 'file',
    embeddings: BASE64_EMBEDDINGS,
    responses: RESPONSES,
    completions: COMPLETIONS,
    moderations: { onlyTexts: false },
  },
  azure: {
    ...COMMON,
    limitsTools: true,
    flatParameters: true,
    objectOutput: true,
    audioTokensPerSecond: AUDIO_TOKENS_PER_SECOND.openai,
    maxTokensField: 'max_completion_tokens',
    unsupportedFields: EXTENSIONS,
    notWhileThinking: NOT_WHILE_THINKING,
    sendsFilterChunks: true,
    responses: RESPONSES,
    embeddings: BASE64_EMBEDDINGS,
  },
  deepseek: {
    ...COMMON,
    limitsTools: true,
    ownFields: ['thinking'],
    thinkingSwitch: 'thinking',
    forcesToolsOnlyUnthinking: true,
    reasoningReplay: 'reasoning_content',
    // Beside `/v1`, if the base URL has it (api-docs.deepseek.com, create-completion).
    completions: {
      ...COMPLETIONS,
      path: '/../beta/completions',
      onlyText: true,
      unsupported: ['n', 'best_of', 'logit_bias'],
    },
  },
  mistral: {
    ...COMMON,
    limitsTools: true,
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
    unsupportedFields: [
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
    refusesEmptyTurns: true,
    documentPart: 'document_url',
    // @mistralai/mistralai 2.7, `EmbeddingRequest`.
    embeddings: { ...EMBEDDINGS, dimensionsField: 'output_dimension', acceptsTokens: false },
    // @mistralai/mistralai 2.7, `ClassificationRequest`.
    moderations: { onlyTexts: true },
    // @mistralai/mistralai 2.7, `FIMCompletionRequest`.
    completions: {
      path: '/fim/completions',
      onlyText: true,
      unsupported: [
        'n',
        'best_of',
        'echo',
        'logprobs',
        'logit_bias',
        'presence_penalty',
        'frequency_penalty',
      ],
      repliesAsChat: true,
    },
  },
  xai: {
    ...COMMON,
    limitsTools: true,
    // The older name is deprecated, and its documentation does not say that it includes thinking (docs.x.ai, chat completions).
    maxTokensField: 'max_completion_tokens',
    needsMaximum: 'always',
    usage: { reasoning: 'separate', cached: 'detect' },
    endUserField: 'user',
    responses: XAI_RESPONSES,
    unsupportedFields: EXTENSIONS,
    refusedHints: ['presence_penalty', 'frequency_penalty'],
  },
  /**
   * Any server that claims to be compatible. Many have no maximum of their own and continue to the end of the context, and vLLM
   * refuses a maximum that does not fit into it (docs.vllm.ai, OpenAI-compatible server).
   */
  compatible: {
    ...COMMON,
    needsMaximum: 'where_it_fits',
    ownFields: EXTENSION_FIELDS,
    documentPart: 'file',
    completions: COMPLETIONS,
    moderations: { onlyTexts: false },
    rerank: RERANK,
  },
  /** The simulator. */
  common: {
    ...COMMON,
    ownFields: EXTENSION_FIELDS,
    developerRole: true,
    functions: true,
    documentPart: 'file',
    embeddings: BASE64_EMBEDDINGS,
    responses: RESPONSES,
    completions: COMPLETIONS,
    moderations: { onlyTexts: false },
    rerank: RERANK,
  },
} as const satisfies Record<string, OpenAiQuirks>;
