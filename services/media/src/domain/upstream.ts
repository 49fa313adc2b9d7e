import type { UpstreamBody } from './upstream-body';

export interface UpstreamTimeouts {
  /** Until the connection is established, TLS included. */
  readonly connectMs: number;
  /** From the request's last byte to the reply's head. */
  readonly firstByteMs: number;
  /** Between two pieces, of the request and of the reply. */
  readonly idleMs: number;
  /** From the start to the reply's last byte. */
  readonly totalMs?: number;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: UpstreamBody;
  readonly signal: AbortSignal;
  /** URL of a forward proxy; absent: none. */
  readonly proxy?: string | undefined;
  readonly timeouts: UpstreamTimeouts;
  /** The reply may be left unread for longer than `idleMs`. */
  readonly mayPause?: boolean;
  /** A longer reply is treated as broken. */
  readonly maxReplyBytes: number;
}

export interface UpstreamReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Call this or `json` exactly once; otherwise the connection can't be reused. */
  readonly body: AsyncIterable<Buffer>;
  /** @throws UpstreamError `broken` when it is too long, truncated, or not JSON */
  json(): Promise<unknown>;
}

/** The only way to a provider. It follows no redirects and repeats nothing. */
export interface Upstream {
  /**
   * Resolves with any status of the provider.
   * @throws RequestError, which says whether the request may have arrived; `unreachable` never has
   */
  request(request: UpstreamRequest): Promise<UpstreamReply>;
}
