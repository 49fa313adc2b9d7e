import type { GatewayError } from '@gateway/errors';

export interface ChatReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Frees the memory of the reply for others; called once when it is no longer needed. */
  release(): void;
}

/** How a call that storage sent to chat has ended. */
export type CallEnd =
  | { readonly requestId: string; readonly reply: ChatReply }
  | { readonly requestId: string; readonly error: GatewayError; readonly chargedNano: bigint };
