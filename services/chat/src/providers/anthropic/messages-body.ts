/**
 * The body of `POST /v1/messages` (SDK 1.10, `MessageCreateParams`), as far as the gateway writes it. Undefined members are
 * not written.
 */
export interface MessagesBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: boolean;
  readonly system?: readonly TextBlock[] | undefined;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly (WireTool | WireWebSearch)[] | undefined;
  readonly tool_choice?: WireToolChoice | undefined;
  readonly thinking?: WireThinking | undefined;
  readonly output_config?: OutputConfig | undefined;
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly top_k?: number | undefined;
  readonly stop_sequences?: readonly string[] | undefined;
  readonly metadata?: { readonly user_id: string } | undefined;
}

export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '1h' | undefined;
}

/** Which breakpoints remain is decided once the whole request is written. */
export interface Cacheable {
  cache_control?: CacheControl | undefined;
}

export type Block = InputBlock | ToolResultBlock | ToolUseBlock | ThinkingBlock | RedactedThinkingBlock;
/** Content of a user, and results of tools. */
export type InputBlock = TextBlock | ImageBlock | DocumentBlock;

export interface TextBlock extends Cacheable {
  readonly type: 'text';
  readonly text: string;
}

type Base64Source = { readonly type: 'base64'; readonly media_type: string; readonly data: string };
type UrlSource = { readonly type: 'url'; readonly url: string };
type TextSource = { readonly type: 'text'; readonly media_type: 'text/plain'; readonly data: string };

export interface ImageBlock extends Cacheable {
  readonly type: 'image';
  readonly source: Base64Source | UrlSource;
}

export interface DocumentBlock extends Cacheable {
  readonly type: 'document';
  readonly source: Base64Source | UrlSource | TextSource;
  readonly title?: string | undefined;
}

export interface ToolResultBlock extends Cacheable {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: readonly InputBlock[] | undefined;
  readonly is_error?: true | undefined;
}

export interface ToolUseBlock extends Cacheable {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export interface WireTool extends Cacheable {
  readonly name: string;
  readonly description?: string | undefined;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly strict?: true | undefined;
}

export interface WireWebSearch extends Cacheable {
  readonly type: 'web_search_20250305';
  readonly name: string;
  readonly max_uses: number;
  readonly allowed_domains?: readonly string[] | undefined;
  readonly blocked_domains?: readonly string[] | undefined;
  readonly user_location?: Readonly<Record<string, string>> | undefined;
}

export type WireToolChoice =
  | { readonly type: 'none' }
  | { readonly type: 'auto' | 'any'; readonly disable_parallel_tool_use?: true }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: true };

export type WireThinking =
  | { readonly type: 'disabled' }
  | { readonly type: 'adaptive'; readonly display?: 'summarized' }
  | { readonly type: 'enabled'; readonly budget_tokens: number };

export type WireEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface JsonFormat {
  readonly type: 'json_schema';
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface OutputConfig {
  readonly effort?: WireEffort | undefined;
  readonly format?: JsonFormat | undefined;
}
