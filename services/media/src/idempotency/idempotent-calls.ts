import { GatewayError } from '@gateway/errors';
import type { LinkReply } from '@gateway/link';
import type { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { bufferedBody } from '../calls/buffered-body';
import type { Idempotency } from '../store/idempotency';
import { IdempotencyWriter } from './idempotency-writer';
import { InFlightKeys } from './in-flight-keys';
import type { OwnKey } from './own-key';
import { type ClaimedCall, checkIdempotencyKey, type StoredAnswer } from './rules/idempotency';
import { UnkeyedCall } from './unkeyed-call';

/** A stored response whose body has not been loaded. */
export interface Replayable {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: the body is not kept. @throws GatewayError `rate_limited` while too many are being replayed */
  open(): Promise<LinkReply['body'] | undefined>;
}

export type Claimed =
  | { readonly kind: 'mine'; readonly own: OwnKey }
  | { readonly kind: 'answered'; readonly reply: Replayable }
  /** The first call is in flight and did not end while a repeated one waited. */
  | { readonly kind: 'busy' }
  /** The outcome of the first call is unknown. */
  | { readonly kind: 'unknown' };

export interface IdempotentCallsDeps {
  readonly store: Pick<
    Idempotency,
    'claim' | 'register' | 'isBusy' | 'bodyOf' | 'dispatched' | 'answered' | 'free' | 'lost'
  >;
  /** Time to wait for a call in flight with the same key. */
  readonly waitMs: number;
  /** Memory for the bodies of replayed responses. */
  readonly replays: Quota;
  /** Calls that wait for another one with their key. */
  readonly waiters: Quota;
}

const WRITE_RETRY_MS = 100;

/** Calls that clients may repeat with the same Idempotency-Key: they are carried out once. */
export class IdempotentCalls {
  readonly #deps: IdempotentCallsDeps;
  readonly #inFlight: InFlightKeys;
  readonly #writer: IdempotencyWriter;

  constructor(deps: IdempotentCallsDeps) {
    this.#deps = deps;
    this.#writer = new IdempotencyWriter({ store: deps.store, firstWaitMs: WRITE_RETRY_MS });
    this.#inFlight = new InFlightKeys({ store: deps.store, waiters: deps.waiters });
  }

  /**
   * @param call its key comes from the header, if there was one
   * @throws GatewayError `invalid_request` for a malformed key, one of another request, or one whose response is no longer
   * kept; `rate_limited` when too many calls wait for such keys
   */
  async claim(
    context: RequestContext,
    { key, ...rest }: Omit<ClaimedCall, 'key' | 'requestId'> & { readonly key: string | undefined },
  ): Promise<Claimed> {
    const { requestId } = context;
    if (key === undefined) {
      const unkeyed = { ...rest, key: requestId, requestId };
      const { store } = this.#deps;
      const own = new UnkeyedCall(unkeyed, { store, writer: this.#writer, log: context.log });
      return { kind: 'mine', own };
    }
    checkIdempotencyKey(key);
    const call: ClaimedCall = { ...rest, key, requestId };
    const claimed = await this.#claimOnce(context, call);
    return claimed ?? this.#claimWhenFree(context, call);
  }

  async #claimWhenFree(context: RequestContext, call: ClaimedCall): Promise<Claimed> {
    const release = this.#inFlight.enter(call.accountId);
    const untilMs = performance.now() + this.#deps.waitMs;
    try {
      for (;;) {
        const leftMs = untilMs - performance.now();
        if (leftMs <= 0) return { kind: 'busy' };
        await this.#inFlight.changed(call, leftMs, context.signal);
        const claimed = await this.#claimOnce(context, call);
        if (claimed) return claimed;
      }
    } finally {
      release();
    }
  }

  /** Undefined: a call with the key is in flight. */
  async #claimOnce(context: RequestContext, call: ClaimedCall): Promise<Claimed | undefined> {
    const claim = await this.#deps.store.claim(call);
    if (claim.kind === 'busy') return undefined;
    if (claim.kind === 'mine') return { kind: 'mine', own: this.#own(context, call) };
    if (claim.kind === 'answered') return { kind: 'answered', reply: this.#replayable(call, claim.answer) };
    if (claim.kind === 'unknown') return { kind: 'unknown' };
    throw new GatewayError('invalid_request', {
      detail: 'Idempotency-Key: used before for another request',
    });
  }

  #replayable(call: ClaimedCall, answer: StoredAnswer): Replayable {
    const { store, replays } = this.#deps;
    const { status, headers, bodyBytes } = answer;
    return {
      status,
      headers,
      async open() {
        if (bodyBytes === undefined) return undefined;
        const over = replays.lease(call.accountId, bodyBytes);
        try {
          const body = await store.bodyOf(call, answer);
          if (body) return bufferedBody(body, over);
          over();
          return undefined;
        } catch (error) {
          over();
          throw error;
        }
      },
    };
  }

  #own(context: RequestContext, call: ClaimedCall): OwnKey {
    const { store } = this.#deps;
    const writer = this.#writer;
    const { log } = context;
    return {
      async dispatched() {
        if (await store.dispatched(call)) return;
        throw new GatewayError('internal_error', { cause: new Error('the idempotency key was taken over') });
      },
      answered: (reply) => writer.answered(log, call, reply),
      free: () => writer.free(log, call),
      lost: () => writer.lost(log, call),
      late: async () => ({ by: 'same-key' }),
    };
  }
}
