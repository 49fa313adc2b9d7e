import type { ChatProvider } from './chat-provider';
import type { ChatOutput, Model } from './model';
import type { Encoding } from './token-estimator';
import type { UpstreamAddress } from './upstream-address';
import type { TokenUsage, UsageSource } from './usage';

/** A valid call whose reply is no text of a model and is read whole: vectors, a moderation or a ranking. */
export interface WholeReplyCall {
  /** As the caller wrote it. */
  readonly model: string;
  readonly output: Exclude<ChatOutput, 'text'>;
  /** That the provider fetches; undefined: none. */
  readonly links?: readonly string[];
  /** Returns how a provider answers such calls; undefined if it does not. */
  protocolOf(provider: ChatProvider): WholeReplyProtocol | undefined;
  /** Returns the maximum that the call can use. */
  boundUsage(model: Model): TokenUsage;
  estimateTokens(encoding: Encoding): number;
  /** Returns what the call uses, counted, for a reply without figures. */
  countUsage(model: Model): TokenUsage;
}

/** How a provider answers one call. */
export interface WholeReplyProtocol {
  /** Returns the address of the call and its headers, with the credential. */
  address(upstreamModel: string): UpstreamAddress | Promise<UpstreamAddress>;
  /** @throws GatewayError `invalid_request` for anything that the provider lacks and the caller would miss */
  writeRequest(upstreamModel: string): Buffer;
  /** @throws Error for a reply of another shape */
  readReply(bytes: Buffer, model: Model): Promise<ReadReply> | ReadReply;
}

/** A reply and what it used. */
export interface ReadReply {
  readonly usage: TokenUsage;
  readonly source: Exclude<UsageSource, 'recovered'>;
  /** For the caller. */
  readonly body: Buffer;
}

/** Returns the parsed body of a reply. @throws Error if it is not a JSON object */
export function parseReply(bytes: Buffer): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  if (typeof value !== 'object' || value === null) throw new Error('reply is not a JSON object');
  return value as Readonly<Record<string, unknown>>;
}
