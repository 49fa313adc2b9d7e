export interface CacheControl {
  readonly ttl?: string | null;
}

interface Cacheable {
  readonly cache_control?: CacheControl | null;
}

export interface TextBlock extends Cacheable {
  readonly type: 'text';
  readonly text: string;
}

export type MediaSource =
  | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string };

export interface ImageBlock extends Cacheable {
  readonly type: 'image';
  readonly source: MediaSource;
}

export interface DocumentBlock extends Cacheable {
  readonly type: 'document';
  readonly source:
    | MediaSource
    | { readonly type: 'text'; readonly data: string }
    | { readonly type: 'content'; readonly content: string | readonly ContentBlock[] };
  readonly title?: string | null;
  readonly context?: string | null;
  readonly citations?: { readonly enabled?: boolean } | null;
}

export interface SearchResultBlock extends Cacheable {
  readonly type: 'search_result';
  readonly title: string;
  readonly source: string;
  readonly content: readonly ContentBlock[];
  readonly citations?: { readonly enabled?: boolean } | null;
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string;
}

export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export interface ToolUseBlock extends Cacheable {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ToolResultBlock extends Cacheable {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly ContentBlock[] | null;
  readonly is_error?: boolean | null;
}

/** References a tool whose definition was deferred and that can be used from here on. */
export interface ToolReferenceBlock extends Cacheable {
  readonly type: 'tool_reference';
  readonly tool_name: string;
}

/** Blocks that only Anthropic understands; their text is complete. */
export const READABLE_BLOCKS = [
  'server_tool_use',
  'mcp_tool_use',
  'mcp_tool_listing',
  'tool_search_tool_result',
  'tool_addition',
  'tool_removal',
  'fallback',
  'browser_state',
] as const;

/** Blocks that only Anthropic understands and that stand for text not visible in their bytes. */
export const OPAQUE_BLOCKS = [
  'web_search_tool_result',
  'web_fetch_tool_result',
  'advisor_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'mcp_tool_result',
  'compaction',
] as const;

export interface AnthropicOnlyBlock {
  readonly type: (typeof READABLE_BLOCKS)[number] | (typeof OPAQUE_BLOCKS)[number];
}

/** A part of a message, with the fields that the gateway reads. */
export type ContentBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | SearchResultBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ToolReferenceBlock
  | AnthropicOnlyBlock;
