import type { UpstreamBody } from './upstream-body';

export interface UpstreamTimeouts {
  /** Until the connection stands, TLS included. */
  readonly connectMs: number;
  /** From the request's last byte to the reply's head. */
  readonly firstByteMs: number;
  /** Between two pieces, of the request as of the reply. */
  readonly idleMs: number;
  /** From the beginning to the reply's last byte. */
  readonly totalMs?: number;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: UpstreamBody;
  readonly signal: AbortSignal;
  readonly timeouts: UpstreamTimeouts;
  /** A reply that is longer is broken. */
  readonly maxReplyBytes: number;
}

export interface UpstreamReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Once: either this or `json`, or the connection is kept from others. */
  readonly body: AsyncIterable<Buffer>;
  /** @throws UpstreamError `broken` when it is too long, cut, or no JSON */
  json(): Promise<unknown>;
}

/** The one way to a provider. It follows no redirect and repeats nothing. */
export interface Upstream {
  /**
   * Answers whatever status the provider did.
   * @throws RequestError, which says whether the request can have arrived; `unreachable` never is one that can
   */
  request(request: UpstreamRequest): Promise<UpstreamReply>;
}
