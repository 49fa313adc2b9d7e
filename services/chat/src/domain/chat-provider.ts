import type { GatewayError } from '@gateway/errors';
import type { JsonObject, ProviderConnection, UpstreamFailure } from '@gateway/upstream';
import type { CallerRequest, ReplyIdentity } from './caller-request';
import type { ApiFormat, Conversation } from './conversation';
import type { EmbeddingProtocol } from './embedding';
import type { ModerationProtocol } from './moderation';
import type { MaxTokensField, MemberOverrides } from './pass-through-change';
import type { Reply, StreamReader } from './reply';
import type { ReplyFraming } from './reply-framing';
import type { RerankProtocol } from './rerank';
import type { Encoding } from './token-estimator';
import type { ToolLimits } from './tool-names';
import type { UpstreamAddress } from './upstream-address';
import type { TokenUsage } from './usage';

export type { ProviderConnection } from '@gateway/upstream';
export type { UpstreamAddress } from './upstream-address';

/** What a request needs in order to be addressed and authenticated. */
export interface AddressedCall {
  readonly upstreamModel: string;
  readonly stream: boolean;
  /** Headers that the caller's format passes. */
  readonly callerHeaders: Readonly<Record<string, string>>;
  /** Signed by some providers. */
  readonly body: Buffer;
}

/** A provider as it is called with one of its credentials, and its protocol. */
export interface ChatProvider {
  readonly id: string;
  /** The format of its API; a caller's bytes in the same format pass through. */
  readonly wire: ApiFormat;
  readonly maxTokensField: MaxTokensField;
  /** It does not know `functions`, the older form of tools, so calls with them are translated. */
  readonly lacksFunctions?: boolean;
  /** How it is reached; absent: as every provider. */
  readonly connection?: ProviderConnection;
  /** Searches the web for its models; absent: it does not. */
  readonly webSearch?: {
    /** Maximum tokens of the results of one search, billed as input; absent: they are not. */
    readonly resultTokens?: number;
  };
  /** Its translated requests ask for an hour of caching where the caller does. */
  readonly writesLongCache?: true;
  /** Tokens of a second of audio in a prompt; absent: `AUDIO_TOKENS_PER_SECOND.usual`. */
  readonly audioTokensPerSecond?: number;
  /** Absent: its servers differ, so calls that pass through keep the names of their tools. */
  readonly toolLimits?: ToolLimits;
  /**
   * The root of a schema for its output must be an object. `translated`: the servers differ, so only translated calls are changed.
   * Absent: it may be of any type.
   */
  readonly objectOutput?: 'always' | 'translated';
  /** The encoding of its models, or the closest public one. */
  readonly encoding: Encoding;
  /**
   * How it treats a call without a maximum output. Absent or false: it applies the maximum of the model's catalog entry.
   * `always`: it applies none, so the gateway always sends one. `where_it_fits`: it applies none, and refuses a maximum that does not fit into the context beside the prompt.
   */
  readonly needsMaximum?: false | 'always' | 'where_it_fits';
  /**
   * Returns the address of a call and its headers, with the credential.
   * @throws UpstreamError if the credential can't be used: status 401 if it was rejected, `unreachable` if no token can be fetched
   */
  address(call: AddressedCall): UpstreamAddress | Promise<UpstreamAddress>;
  /** Converts a stream of another framing into server-sent events; absent: the provider sends those. @throws for a cut frame */
  toEvents?(body: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
  /**
   * Writes the body for a caller of another format.
   * @param maxOutputTokens what the funds cover, or the caller's own maximum, or the model's
   * @param capabilities of the model, from the catalog: a model's name says too little about them
   * @throws GatewayError `invalid_request` for anything that the provider lacks and the caller would miss
   */
  writeRequest(
    conversation: Conversation,
    upstreamModel: string,
    maxOutputTokens: number,
    capabilities: ReadonlySet<string>,
  ): Buffer;
  /**
   * Returns the maximum input tokens of a translated call beyond the caller's own: instructions that the provider or the
   * translation adds. Absent: none. The size of a request in the provider's own format includes them.
   */
  addedInputTokens?(conversation: Conversation): number;
  /**
   * Returns replacements for members of a body in its own format that it refuses although they are only hints, or that have
   * another name there.
   * @param upstreamModel the model's name, which otherwise replaces the caller's
   * @throws GatewayError `invalid_request` for anything that the provider lacks and the caller would miss
   */
  passThroughMembers?(
    body: Readonly<Record<string, unknown>>,
    capabilities: ReadonlySet<string>,
    upstreamModel: string,
  ): MemberOverrides;
  /** Returns whether a complete reply has this format; cheap. */
  isReply(reply: Record<string, unknown>): boolean;
  /** Returns the figures of a complete reply; undefined if it has no credible ones. */
  readUsage(reply: Record<string, unknown>): TokenUsage | undefined;
  /** Returns the service tier that a complete reply reports; absent if the provider has no tiers. */
  readServiceTier?(reply: Record<string, unknown>): string | undefined;
  /**
   * Returns the input tokens of a request body by the format's rule. Absent if there is no public rule; the conversation is
   * counted instead.
   */
  countInput?(body: Buffer): number;
  /**
   * Returns the maximum input tokens of a request body, far fewer than its bytes; undefined if the rule may not apply or
   * counting takes too long. Absent if the encoding of the models is not public.
   */
  readonly boundInput?: ((body: Buffer, budgetMs: number) => number | undefined) | undefined;
  /** Returns the output tokens of a complete reply without figures; absent if its text is all that counts. */
  countReply?(reply: Record<string, unknown>): number;
  /** Returns how many of these tokens are audio; absent: its replies are never spoken. */
  countSpeech?(reply: Record<string, unknown>): number;
  /** @throws Error for a reply that is not of this format; GatewayError for a refusal with a success status */
  readReply(reply: Record<string, unknown>): Reply;
  /** Rewrites a complete reply for a caller of the same format; absent if it needs no change. @param model the slug to name */
  passReply?(reply: WholeReply, model: string, to: PassedReply): Buffer;
  readStream(): StreamReader;
  /** Converts replies that have the other form than was asked for. Absent: they fail. */
  readonly framing?: ReplyFraming;
  /**
   * Reads an event of a stream that has had no content yet, for callers of any format.
   * @throws Error when it reports that the reply failed
   */
  readOpening(event: JsonObject): OpeningEvent;
  /** Passes a stream through to a caller of the same format; absent if no caller format matches. */
  passStream?(options: PassThroughOptions, to: PassedReply): MeteredStream;
  /** What differs for text completions, the format `completions`. Absent: it has none. */
  readonly completions?: CompletionsApi;
  /** Its Responses API, by a name of the account to which encrypted content is tied. Absent: calls are translated. */
  readonly responses?: (account: string) => ResponsesApi;
  /** How its Responses API compacts a conversation; absent: it does not, or it is not called through that API. */
  readonly compaction?: CompactionApi | undefined;
  /** Its models search the web through the Responses API only, which is used for nothing else. */
  readonly respondsOnlyToSearch?: true;
  /** Absent: it has no embedding models. */
  readonly embeddings?: EmbeddingProtocol;
  /** Absent: it has no moderation models. */
  readonly moderations?: ModerationProtocol;
  /** Absent: it has no rerank models. */
  readonly rerank?: RerankProtocol;
  /** Absent: its models can't be listed. */
  readonly modelListing?: ModelListing;
  /** Returns what an error status means at this provider in particular; undefined for the common meaning. */
  refusalOf?(response: RefusedResponse): UpstreamFailure | undefined;
}

/** A provider's API of text completions. It only passes calls through: no other format is translated to it. */
export type CompletionsApi = Pick<
  ChatProvider,
  | 'wire'
  | 'maxTokensField'
  | 'address'
  | 'passThroughMembers'
  | 'isReply'
  | 'passReply'
  | 'readOpening'
  | 'passStream'
  | 'countInput'
  | 'countReply'
> & {
  /** Its encoding is not that of the chat models. */
  readonly boundInput: undefined;
};

/** What differs for a provider's Responses API. Calls of other formats are translated to it if they search the web. */
export type ResponsesApi = Pick<
  ChatProvider,
  | 'toolLimits'
  | 'wire'
  | 'webSearch'
  | 'address'
  | 'writeRequest'
  | 'readReply'
  | 'readStream'
  | 'framing'
  | 'passThroughMembers'
  | 'isReply'
  | 'readUsage'
  | 'readServiceTier'
  | 'passReply'
  | 'readOpening'
  | 'passStream'
  | 'boundInput'
  | 'countInput'
  | 'countReply'
> & { readonly compaction?: CompactionApi | undefined };

/** What differs for compactions. */
export type CompactionApi = Pick<ChatProvider, 'address' | 'isReply' | 'passReply' | 'countReply'>;

/** How a provider lists its models. */
export interface ModelListing {
  address(): UpstreamAddress | Promise<UpstreamAddress>;
  /** @throws Error for a reply of another shape */
  read(reply: JsonObject): readonly EndpointModel[];
}

/** A model as a provider's endpoint lists it. Tokens; absent: not listed. */
export interface EndpointModel {
  readonly id: string;
  readonly name?: string;
  readonly contextLength?: number;
  readonly maxOutputTokens?: number;
}

export interface RefusedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

/** A response body as received and parsed. */
export interface WholeReply {
  readonly bytes: Buffer;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The call that a reply passes to. */
export interface PassedReply {
  readonly identity: ReplyIdentity;
  readonly request: Pick<CallerRequest, 'parsed' | 'isStored' | 'audioIds'>;
}

export interface PassThroughOptions {
  /** The slug that the stream names. */
  readonly model: string;
  /** The caller asked for the usage in its stream. */
  readonly includeUsage: boolean;
  /** Number of choices that the caller asked for; absent: one. */
  readonly choices?: number;
  /** Returns what the account is charged for the usage. */
  chargedNano(usage: TokenUsage): bigint;
  /**
   * Returns the usage of the reply so far as its caller's format has it, with the cost, counted where the provider's figures are
   * missing or contradict it. Absent: figures pass as they are.
   */
  readonly completedUsage?: (() => object) | undefined;
}

/**
 * What an event adds to a reply that has had no content yet: nothing; text, a refusal, thinking or a tool call; the finish
 * reason, which only figures follow; or the end of a complete reply without any content.
 */
export type OpeningEvent = 'waiting' | 'content' | 'finished' | 'ended';

/** How an event of the provider's stream is passed to the caller. */
export type PassThroughEvent =
  | { readonly kind: 'pass'; readonly bytes: Buffer }
  /** Not passed to the caller. */
  | { readonly kind: 'hide' }
  /** The last event of a complete stream; it waits until the call is billed. */
  | { readonly kind: 'done'; readonly bytes: Buffer }
  /** The provider aborted with an error of its own. */
  | { readonly kind: 'error' };

/** A metered stream to the caller: passed through or translated. */
export interface MeteredStream {
  take(event: Buffer): PassThroughEvent;
  /**
   * Returns the last event of a reply that has its finish reason when its connection ends cleanly without that event;
   * undefined if the reply is truncated. Absent: only an event completes a reply. @throws Error when the reply failed
   */
  end?(): Buffer | undefined;
  /** The provider's latest figures. */
  readonly usage: TokenUsage | undefined;
  /** Searches of the web that it has shown; absent: `usage` has them. */
  readonly searches?: number;
  /** The reply has ended as a refusal, which some providers do not charge. */
  readonly isRefused: boolean;
  /** The service tier that it reports; absent if it reports none. */
  readonly serviceTier?: string | undefined;
  /** Returns the frame that ends the stream when it breaks; absent or undefined if it does not depend on what has passed. */
  errorFrame?(error: GatewayError): string | undefined;
  /** Estimate of the output tokens that have passed; cheap. */
  estimateOutput(): number;
  /** How many of these tokens are audio; absent: none. */
  readonly audioOutput?: number;
  /** Output tokens of the text and audio that has passed, counted. */
  countOutput(): number;
  /** Releases what is kept for counting. */
  close(): void;
}
