/**
 * A chat call in the neutral format. The caller's format is read into it, and the provider's request is written from it,
 * wherever the two differ. Content that the provider's format lacks is omitted when it is written; content that matters and
 * that no other format could represent was refused when it was read.
 *
 * Create objects with all members, in the order of the interface, undefined where there is no value: engines then see one
 * shape, and the code that reads the parts of a long conversation stays compiled.
 */
export interface Conversation {
  /** Instructions before the first turn. */
  readonly system: readonly TextPart[];
  /** In the caller's order; adjacent turns may have the same role. */
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  /** The provider searches the web for the model; absent: it does not. */
  readonly webSearch?: WebSearch | undefined;
  readonly toolChoice: ToolChoice;
  /** Undefined: the provider's default. */
  readonly parallelToolCalls?: boolean | undefined;
  readonly output: OutputShape;
  readonly reasoning?: Reasoning | undefined;
  readonly sampling: Sampling;
  /** The caller's own maximum. */
  readonly maxOutputTokens?: number | undefined;
  /** An opaque id of the caller's end user. */
  readonly endUser?: string | undefined;
  readonly stream: boolean;
}

export type Turn = SystemTurn | UserTurn | AssistantTurn;

/** Instructions in the middle of a conversation. */
export interface SystemTurn {
  readonly role: 'system';
  readonly parts: readonly TextPart[];
}

/** Tool results precede other content of the user. */
export interface UserTurn {
  readonly role: 'user';
  readonly parts: readonly UserPart[];
}

export interface AssistantTurn {
  readonly role: 'assistant';
  readonly parts: readonly AssistantPart[];
}

export type UserPart = TextPart | ImagePart | DocumentPart | AudioPart | ToolResultPart;
export type AssistantPart = TextPart | ThinkingPart | RedactedThinkingPart | ToolCallPart;

/** Marks a part as the end of a prefix that is worth keeping in the provider's prompt cache. */
export interface CacheHint {
  readonly ttl: '5m' | '1h';
}

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
  /** Of a reply, the pages that support it. */
  readonly citations?: readonly Citation[] | undefined;
  readonly cache?: CacheHint | undefined;
}

export interface ImagePart {
  readonly kind: 'image';
  readonly source: MediaSource;
  readonly detail?: string | undefined;
  readonly cache?: CacheHint | undefined;
}

/** A PDF, or plain text with a title. */
export interface DocumentPart {
  readonly kind: 'document';
  readonly source: MediaSource | { readonly kind: 'text'; readonly text: string };
  readonly title?: string | undefined;
  readonly cache?: CacheHint | undefined;
}

export interface AudioPart {
  readonly kind: 'audio';
  readonly source: MediaSource;
}

export type MediaSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string };

export interface ToolResultPart {
  readonly kind: 'tool_result';
  readonly callId: string;
  readonly parts: readonly (TextPart | ImagePart | DocumentPart)[];
  readonly isError: boolean;
  readonly cache?: CacheHint | undefined;
}

/** The formats of providers' APIs. Only a provider of the same format can read a signature. */
export type ApiFormat =
  | 'openai'
  | 'completions'
  | 'responses'
  | 'xai'
  | 'anthropic'
  | 'gemini'
  | 'cohere'
  | 'bedrock';

/** A provider's proof of its own thinking, or encrypted thinking, which it expects back unchanged. */
export interface Signature {
  readonly wire: ApiFormat;
  readonly value: string;
}

export interface ThinkingPart {
  readonly kind: 'thinking';
  readonly text: string;
  /** Absent: the provider does not sign. */
  readonly signature?: Signature | undefined;
}

export interface RedactedThinkingPart {
  readonly kind: 'redacted_thinking';
  readonly data: Signature;
}

export interface ToolCallPart {
  readonly kind: 'tool_call';
  /** As its provider wrote it: providers with rules for ids map it (`tool-ids.ts`). */
  readonly id: string;
  readonly name: string;
  /** JSON text; empty if there are none. */
  readonly arguments: string;
  readonly signature?: Signature | undefined;
  readonly cache?: CacheHint | undefined;
}

export interface Tool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict?: boolean | undefined;
  readonly cache?: CacheHint | undefined;
}

/** The name by which a caller forces a search. */
export const WEB_SEARCH = 'web_search';

/** How the provider searches the web. An empty list of domains restricts nothing. */
export interface WebSearch {
  /** Sent to providers that accept a maximum. */
  readonly maxSearches: number;
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  /** The approximate location of the end user: city, region, country and time zone, as the caller names them. */
  readonly location?: Readonly<Record<string, string>> | undefined;
}

/** A search that the provider ran, with what it found. */
export interface WebSearchPart {
  readonly kind: 'web_search';
  readonly id: string;
  readonly query: string;
  /** Empty if the search failed. */
  readonly results: readonly SearchResult[];
}

export interface SearchResult {
  readonly url: string;
  readonly title: string;
}

/** A page that supports a part of the reply. */
export interface Citation extends SearchResult {
  /** That part of the reply. */
  readonly cited: string;
  /** From the page; empty if not known. */
  readonly quote: string;
}

export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'required' }
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'allowed'; readonly names: readonly string[]; readonly required: boolean };

export type OutputShape =
  | { readonly kind: 'text' | 'json' }
  | {
      readonly kind: 'schema';
      readonly name: string;
      readonly description?: string | undefined;
      readonly schema: Readonly<Record<string, unknown>>;
      readonly strict?: boolean | undefined;
    };

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** How much to think. At least one field is present. */
export interface Reasoning {
  readonly effort?: Effort | undefined;
  /** Maximum thinking tokens, if the caller gave a figure. */
  readonly budgetTokens?: number | undefined;
  /** The model decides how much. */
  readonly adaptive?: boolean | undefined;
}

export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly stop: readonly string[];
}
