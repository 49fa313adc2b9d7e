import type { LinkCall, LinkReply } from '@gateway/link';
import { ACCOUNT_CONTENT, allowsScope } from '@gateway/models';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { once, type Quota, quotaExhausted } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { passedEnd } from '../formats/responses/passed-end';
import type { ResponsesCall, ResponsesRequest } from '../formats/responses/responses-request';
import { toStoredItems } from '../formats/responses/stored-items';
import type { ResponseStorageMetrics } from '../metrics';
import type { AnswerChat } from './answer-chat';
import { loadStoredItems } from './load-stored-items';
import { releasedWhenRead } from './released-when-read';
import type { ResponseStorage } from './response-storage';

export interface AnswerResponseDeps {
  readonly answer: AnswerChat;
  /** Absent: nothing is stored. */
  readonly storage: ResponseStorage | undefined;
  /** Memory for what is loaded. */
  readonly bodies: Quota;
  readonly metrics: ResponseStorageMetrics;
}

/** @param replyId of a response that was queued, of which this is the call; absent: it is the caller's own call */
export type AnswerResponse = (
  context: RequestContext,
  call: LinkCall,
  request: ResponsesRequest,
  replyId?: string,
) => Promise<LinkReply>;

/**
 * Answers a call in the format of responses. What it refers to is loaded before the call costs anything. A response is stored
 * before the client receives its end; if it can't be, the client learns that it is not stored.
 */
export function answerResponse(deps: AnswerResponseDeps): AnswerResponse {
  return async (context, call, request, replyId) => {
    const { storage } = deps;
    if (!storage) return deps.answer(context, call, request.withItems());
    const { whole, release } = await withStoredItems(storage, deps.bodies, call.key, request);
    const answered = () => {
      if (replyId !== undefined) return queued(whole, replyId);
      return request.isStored ? stored(deps, storage, context, call, request, whole) : whole;
    };
    try {
      const reply = await deps.answer(context, call, answered());
      return release ? { ...reply, body: releasedWhenRead(reply.body, release) } : reply;
    } catch (error) {
      release?.();
      throw error;
    }
  };
}

/**
 * Returns the call with what it refers to, and a function that releases the memory for that, if there is any.
 * @throws GatewayError as `loadStoredItems`
 */
export async function withStoredItems(
  storage: ResponseStorage,
  bodies: Quota,
  key: KeyContext__Output,
  request: ResponsesRequest,
): Promise<{ whole: ResponsesCall; release?: () => void }> {
  const refersToStored = request.previousId !== undefined || request.itemIds.length > 0;
  if (!refersToStored && !request.mustBeStored) return { whole: request.withItems() };
  let release = () => {};
  try {
    const { accountId, keyId } = key;
    const seesAccount = allowsScope(key, ACCOUNT_CONTENT);
    const reader = { accountId, ...(!seesAccount && { onlyKeyId: keyId }) };
    const items = await loadStoredItems(storage, reader, request, (bytes) => {
      if (bodies.acquire(accountId, bytes)) throw quotaExhausted();
      release = once(() => bodies.release(accountId, bytes));
    });
    const whole = request.withItems(items);
    // The cached key may be outdated: billing decides.
    return {
      whole: refersToStored && seesAccount ? { ...whole, contentScopes: [ACCOUNT_CONTENT] } : whole,
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns the call of a queued response: storage, which sends it, receives what it stores. */
const queued = (call: ResponsesCall, replyId: string): ResponsesCall => ({
  ...call,
  replyId,
  async beforeEnd(end) {
    const { stored } = call.replies.last ?? passedEnd(end, call.includesEncrypted);
    if (!stored) throw new Error('a reply without its response');
    return Buffer.from(stored.json);
  },
});

/** Returns a call whose response is stored. */
function stored(
  { metrics }: AnswerResponseDeps,
  storage: ResponseStorage,
  { requestId, log }: RequestContext,
  { key }: LinkCall,
  { previousId }: ResponsesRequest,
  call: ResponsesCall,
): ResponsesCall {
  return {
    ...call,
    async beforeEnd(end) {
      const ended = call.replies.last ?? passedEnd(end, call.includesEncrypted);
      const response = ended.stored;
      if (!response) throw new Error('a reply without its response');
      try {
        const input = Buffer.from(JSON.stringify(toStoredItems(call.ownItems, requestId)));
        await storage.save(key.accountId, {
          id: response.id,
          keyId: key.keyId,
          previousId,
          input,
          response: Buffer.from(response.json),
        });
        metrics.saved('saved');
        return ended.saved(end);
      } catch (err) {
        metrics.saved('failed');
        log.warn({ err }, 'response not stored');
        return ended.unstored(end);
      }
    },
  };
}
