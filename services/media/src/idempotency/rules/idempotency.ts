import { GatewayError } from '@gateway/errors';

/** Identifies calls that may be repetitions of each other. */
export interface ClaimedCall {
  readonly accountId: string;
  /** The operation, independent of its path: `images`. */
  readonly operation: string;
  readonly key: string;
  /** SHA-256 of the request, in hex. */
  readonly fingerprint: string;
  readonly requestId: string;
}

/** A response as it was sent, or would have been. */
export interface StoredReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: it is not stored. */
  readonly body?: Buffer;
}

/** A stored response without its body, which is loaded only for callers that may have it. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The call that was answered. */
  readonly requestId: string;
  /** Absent: the body was too large to store, or was deleted for newer ones. */
  readonly bodyBytes?: number;
}

export type Claim =
  /** The call is to be carried out, by the claimant. */
  | { readonly kind: 'mine' }
  /** Another call with the key is in flight. */
  | { readonly kind: 'busy' }
  /** The key belongs to a call with another request. */
  | { readonly kind: 'other' }
  /** It was started, and its outcome will never be known. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer };

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** @throws GatewayError `invalid_request` for an invalid key */
export function checkIdempotencyKey(key: string): void {
  if (!KEY.test(key)) {
    throw new GatewayError('invalid_request', {
      detail: 'Idempotency-Key: not 1 to 255 printable ASCII characters',
    });
  }
}
