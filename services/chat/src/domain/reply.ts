import type { AssistantPart, Signature } from './conversation';
import type { TokenUsage } from './usage';

/** Why a model stopped. */
export type StopReason =
  | 'end'
  | 'length'
  | 'stop_sequence'
  | 'tool_calls'
  | 'refusal'
  /** The conversation and the reply together fill the model's context. */
  | 'context_full'
  /** The provider broke off a long turn that may be continued. */
  | 'pause';

/** A provider's whole reply in no provider's words. */
export interface Reply {
  readonly parts: readonly AssistantPart[];
  readonly stop: StopReason;
  /** The sequence that was met. */
  readonly stopSequence?: string;
}

/**
 * A piece of a streamed reply. Text, thinking and arguments come in pieces to be joined; a signature follows
 * the thinking that it signs. One that follows no thinking signs a thought without words: it is a part of its
 * own. Gemini ends most streams with one, after the text; a format in which clients take the last part for the
 * answer (Anthropic's) leaves it out once there was text, for it is only a hint.
 */
export type ReplyEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'thinking_signature'; readonly signature: Signature }
  | { readonly kind: 'redacted_thinking'; readonly data: Signature }
  | ToolCallStart
  /** `call` counts the reply's tool calls from 0. Pieces of two calls may alternate. */
  | { readonly kind: 'tool_arguments'; readonly call: number; readonly text: string }
  | { readonly kind: 'stop'; readonly stop: StopReason; readonly stopSequence?: string };

export interface ToolCallStart {
  readonly kind: 'tool_call';
  readonly call: number;
  readonly id: string;
  readonly name: string;
  readonly signature?: Signature;
}

/** Reads one provider's stream, event by event. */
export interface StreamReader {
  /**
   * What one server-sent event says, as it came, with the blank line that ends it.
   * @throws Error when the provider broke off, or sent what its format does not know
   */
  read(event: Buffer): readonly ReplyEvent[];
  /** The provider's latest figures. */
  readonly usage: TokenUsage | undefined;
  /** The provider has said all that it had to say: nothing but a stream that is `ended` is whole. */
  readonly ended: boolean;
}

/** Writes one stream in the caller's format, frame by frame. */
export interface StreamWriter {
  /**
   * Empty when there is nothing to say yet.
   * @param usage what the provider has told by then, if anything; with the first events alone
   */
  write(events: readonly ReplyEvent[], usage?: TokenUsage): string;
  /** The frames after the last event, with the marker that ends a whole stream. */
  end(usage: TokenUsage): string;
}
