/**
 * The body of Converse and ConverseStream (SDK 3.1164, `ConverseRequest`), as far as the gateway writes it. The model is in the
 * URL. Undefined members are not written.
 */
export interface ConverseBody {
  readonly messages: readonly ConverseMessage[];
  readonly system?: readonly SystemBlock[] | undefined;
  readonly inferenceConfig: InferenceConfig;
  readonly toolConfig?: ToolConfig | undefined;
  readonly outputConfig?: OutputConfig | undefined;
  /** The model's own parameters. */
  readonly additionalModelRequestFields?: object | undefined;
  /** JSON pointers to members of the model's own reply. */
  readonly additionalModelResponseFieldPaths?: readonly string[] | undefined;
}

export interface ConverseMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/** Marks the end of a prefix to cache. */
export interface CachePoint {
  readonly cachePoint: { readonly type: 'default'; readonly ttl?: '1h' | undefined };
}

export type SystemBlock = TextContent | CachePoint;

/** Content of a user, and results of tools. */
export type InputContent = TextContent | ImageContent | DocumentContent;

export type ContentBlock = InputContent | ToolUseContent | ToolResultContent | ReasoningContent | CachePoint;

export interface TextContent {
  readonly text: string;
}

/** Bytes are in base64. */
export interface ImageContent {
  readonly image: { readonly format: string; readonly source: { readonly bytes: string } };
}

export interface DocumentContent {
  readonly document: {
    readonly format: 'pdf';
    readonly name: string;
    readonly source: { readonly bytes: string };
  };
}

export interface ToolUseContent {
  readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: object };
}

export interface ToolResultContent {
  readonly toolResult: {
    readonly toolUseId: string;
    readonly content: readonly InputContent[];
    readonly status?: 'error' | undefined;
  };
}

export interface ReasoningContent {
  readonly reasoningContent:
    | { readonly reasoningText: { readonly text: string; readonly signature: string } }
    | { readonly redactedContent: string };
}

export interface InferenceConfig {
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
}

export interface ToolConfig {
  readonly tools: readonly (ToolSpec | CachePoint)[];
  readonly toolChoice?: { readonly any: object } | { readonly tool: { readonly name: string } } | undefined;
}

export interface ToolSpec {
  readonly toolSpec: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly inputSchema: { readonly json: object };
  };
}

export interface OutputConfig {
  readonly textFormat: {
    readonly type: 'json_schema';
    readonly structure: {
      readonly jsonSchema: {
        readonly name: string;
        readonly description?: string | undefined;
        /** JSON text. */
        readonly schema: string;
      };
    };
  };
}
