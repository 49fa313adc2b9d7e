import type { GatewayError } from '@gateway/errors';
import type { AssistantPart, Citation, Signature, WebSearchPart } from './conversation';
import type { BilledUsage, TokenUsage } from './usage';

/** Why a model stopped. */
export type StopReason =
  | 'end'
  | 'length'
  | 'stop_sequence'
  | 'tool_calls'
  | 'refusal'
  /** The conversation and the reply together fill the model's context. */
  | 'context_full'
  /** The provider paused a long turn, which may be continued. */
  | 'pause';

export type ReplyPart = AssistantPart | WebSearchPart;

/** A provider's complete reply in the neutral format. */
export interface Reply {
  readonly parts: readonly ReplyPart[];
  readonly stop: StopReason;
  /** The stop sequence that was generated. */
  readonly stopSequence?: string;
}

/**
 * A piece of a streamed reply. Text, thinking and arguments arrive in pieces to be joined; a signature follows the thinking
 * that it signs. A signature without preceding thinking signs a thought without text and is a part by itself. Gemini ends
 * most streams with such a signature, after the text. Clients of Anthropic's format take the last part for the answer, so
 * that format omits it once there was text; it is only a hint.
 */
export type ReplyEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'thinking_signature'; readonly signature: Signature }
  | { readonly kind: 'redacted_thinking'; readonly data: Signature }
  | ToolCallStart
  /** `call` counts the reply's tool calls from 0. Pieces of two calls may alternate. */
  | { readonly kind: 'tool_arguments'; readonly call: number; readonly text: string }
  | CallSignature
  | WebSearchPart
  /** Follows the text that it supports, which is a part of the text so far. */
  | { readonly kind: 'citation'; readonly citation: Citation }
  | { readonly kind: 'stop'; readonly stop: StopReason; readonly stopSequence?: string };

export const isRefusal = (event: ReplyEvent): boolean => event.kind === 'stop' && event.stop === 'refusal';

export interface ToolCallStart {
  readonly kind: 'tool_call';
  readonly call: number;
  readonly id: string;
  readonly name: string;
  readonly signature?: Signature;
}

/** The signature of a call that began without one. */
export interface CallSignature {
  readonly kind: 'call_signature';
  readonly call: number;
  readonly signature: Signature;
}

/** Reads one provider's stream, event by event. */
export interface StreamReader {
  /**
   * Reads one server-sent event as received, including the blank line that ends it.
   * @throws Error when the provider reports a failure, or sends what its format does not define
   */
  read(event: Buffer): readonly ReplyEvent[];
  /** The provider's latest figures. */
  readonly usage: TokenUsage | undefined;
  /** Searches of the web so far; absent: `usage` has them. */
  readonly searches?: number;
  /** Whether the provider has completed the reply. A stream that ends before is truncated. */
  readonly ended: boolean;
  /**
   * Reads the clean end of the connection, which completes a reply that has its finish reason but not the format's last event.
   * Absent: only an event completes a reply. @throws Error when the reply failed
   */
  end?(): readonly ReplyEvent[];
}

/** Writes one stream in the caller's format, frame by frame. */
export interface StreamWriter {
  /**
   * Returns the frames for the events; empty if there is nothing to send yet.
   * @param usage the figures that the provider has reported so far, with the first events only
   */
  write(events: readonly ReplyEvent[], usage?: TokenUsage): string;
  /** Returns the frames after the last event, with the marker that ends a complete stream. */
  end(usage: BilledUsage): string;
  /** Returns the frame that ends a broken stream; absent if it does not depend on what was written. */
  fail?(error: GatewayError): string;
}
