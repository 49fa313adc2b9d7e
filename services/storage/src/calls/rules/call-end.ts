import type { GatewayError } from '@gateway/errors';

export interface ChatReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** How a call that storage sent to chat has ended. */
export type CallEnd =
  | { readonly requestId: string; readonly reply: ChatReply }
  | { readonly requestId: string; readonly error: GatewayError };
