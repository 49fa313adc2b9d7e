import type { JsonObject, UpstreamFailure } from '@gateway/upstream';
import type { Conversation, Wire } from './conversation';
import type { MaxTokensField, MemberOverrides } from './passed-change';
import type { Reply, StreamReader } from './reply';
import type { Encoding } from './token-estimator';
import type { TokenUsage } from './usage';

export interface UpstreamAddress {
  readonly url: URL;
  /** With the credential. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A provider account, and how one speaks with it. */
export interface ChatProvider {
  readonly id: string;
  /** The format that it speaks; a caller's bytes in the same format go through. */
  readonly wire: Wire;
  readonly maxTokensField: MaxTokensField;
  /** Of its models, or the nearest to it that is known. */
  readonly encoding: Encoding;
  /**
   * Absent or false: it keeps a call that names no maximum output to what the catalog says of its model.
   * `where_it_fits`: it does not, and refuses a maximum that the context has no room for beside the prompt.
   */
  readonly needsMaximum?: false | 'always' | 'where_it_fits';
  /** Where a call of that model goes. @param callerHeaders what the caller's format lets pass */
  address(
    upstreamModel: string,
    stream: boolean,
    callerHeaders: Readonly<Record<string, string>>,
  ): UpstreamAddress;
  /**
   * The body for a caller of another format.
   * @param maxOutputTokens what funds pay for, or the caller's own maximum, or the model's
   * @param capabilities the model's, from the catalog: names say too little of what a model takes
   * @throws GatewayError `invalid_request` for what this provider cannot do and the caller would miss
   */
  writeRequest(
    conversation: Conversation,
    upstreamModel: string,
    maxOutputTokens: number,
    capabilities: ReadonlySet<string>,
  ): Buffer;
  /**
   * Most input tokens of a translated call beyond the caller's own: instructions that the provider adds and
   * bills, and ours. Absent: none. A request in the provider's format has them in its size.
   */
  addedInputTokens?(conversation: Conversation): number;
  /**
   * What of a body in its own format this provider would refuse, though it is only a hint, or names otherwise.
   * @throws GatewayError `invalid_request` for what it does not have and the caller would miss
   */
  passedMembers?(body: Readonly<Record<string, unknown>>, capabilities: ReadonlySet<string>): MemberOverrides;
  /** Whether a whole reply is one of this format; cheap. */
  isReply(reply: Record<string, unknown>): boolean;
  /** Figures of a whole reply; undefined when it has none that are credible. */
  readUsage(reply: Record<string, unknown>): TokenUsage | undefined;
  /** The service tier that a whole reply says its call was given; absent: there are none to ask for. */
  readServiceTier?(reply: Record<string, unknown>): string | undefined;
  /**
   * Input tokens of a request body by the rule of this format; absent where there is no public one, and the
   * conversation is counted instead.
   */
  countInput?(body: Buffer): number;
  /**
   * Most input tokens of a request body, far fewer than its bytes; undefined where the rule is not known to
   * hold or counting takes too long. Absent where the models' encoding is not public.
   */
  boundInput?(body: Buffer, budgetMs: number): number | undefined;
  /** Output tokens of a whole reply without figures; absent where its text as read is all there is. */
  countReply?(reply: Record<string, unknown>): number;
  /** @throws Error when it is no reply of this format; GatewayError when it is a refusal in disguise */
  readReply(reply: Record<string, unknown>): Reply;
  /** A whole reply for a caller of the same format; absent: as it came. @param model the slug that it names */
  passReply?(reply: WholeReply, model: string): Buffer;
  readStream(): StreamReader;
  /**
   * Reads an event of a stream that has had no content yet, of whichever caller.
   * @throws Error when it says that the reply failed
   */
  readOpening(event: JsonObject): OpeningEvent;
  /** Passes a stream on to a caller of the same format; absent where no caller's format is this one. */
  passStream?(options: PassStreamOptions): PassedStream;
  /** What an error status means at this provider in particular; undefined where it means what it always does. */
  refusalOf?(response: RefusedResponse): UpstreamFailure | undefined;
}

export interface RefusedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed; undefined when it is no JSON. */
  readonly body: unknown;
}

/** As it came, and parsed. */
export interface WholeReply {
  readonly bytes: Buffer;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface PassStreamOptions {
  /** The slug that the stream names. */
  readonly model: string;
  /** The caller asked for the usage in its stream. */
  readonly includeUsage: boolean;
}

/**
 * What an event says of a reply that has had no content yet: nothing; text, a refusal, thinking or a tool call; or that
 * the reply is whole without any of these.
 */
export type OpeningEvent = 'waiting' | 'content' | 'ended';

/** What an event of the provider's stream is to the caller. */
export type PassedEvent =
  | { readonly kind: 'pass'; readonly bytes: Buffer }
  /** Nothing for the caller. */
  | { readonly kind: 'hide' }
  /** The last of a whole stream; it waits for the bill. */
  | { readonly kind: 'done'; readonly bytes: Buffer }
  /** The provider broke off with an error of its own. */
  | { readonly kind: 'error' };

/** A stream on its way to the caller, metered. */
export interface PassedStream {
  take(event: Buffer): PassedEvent;
  /** The provider's latest figures. */
  readonly usage: TokenUsage | undefined;
  /** That it says it was given; absent: it does not say. */
  readonly serviceTier?: string | undefined;
  /** About how many output tokens passed; cheap. */
  estimateOutput(): number;
  /** Output tokens of the text that passed, counted. */
  countOutput(): number;
  /** Lets go of what is kept for counting. */
  close(): void;
}
