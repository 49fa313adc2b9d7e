import { GatewayError } from '@gateway/errors';

/** What tells a call from others that may be the same one, sent again. */
export interface ClaimedCall {
  readonly accountId: string;
  /** What it does, by whichever of its paths: `images`. */
  readonly operation: string;
  readonly key: string;
  /** SHA-256 in hex over what was asked for. */
  readonly fingerprint: string;
  readonly requestId: string;
}

/** An answer as it went out, or would have. */
export interface KeptReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: it does not go in. */
  readonly body?: Buffer;
}

/** An answer that is kept, without its body: that is loaded only for those who may have it. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The call that was answered. */
  readonly requestId: string;
  /** Absent: the body was too large to keep, or made room for others. */
  readonly bodyBytes?: number;
}

export type Claim =
  /** The call is to be carried out, by the claimant. */
  | { readonly kind: 'mine' }
  /** Another one carries it out at the moment. */
  | { readonly kind: 'busy' }
  /** The key belongs to a call that asked for something else. */
  | { readonly kind: 'other' }
  /** It was begun, and nobody can tell any more what became of it. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer };

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** @throws GatewayError `invalid_request` for a key that is none */
export function checkIdempotencyKey(key: string): void {
  if (!KEY.test(key)) {
    throw new GatewayError('invalid_request', {
      detail: 'Idempotency-Key: not 1 to 255 printable ASCII characters',
    });
  }
}
