import type { LinkCall, LinkReply } from '@gateway/link';
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

export type AnswerResponse = (
  context: RequestContext,
  call: LinkCall,
  request: ResponsesRequest,
) => Promise<LinkReply>;

/**
 * Answers a call in the format of responses. What it refers to is loaded before the call costs anything. A response is stored
 * before the client receives its end; if it can't be, the client learns that it is not stored.
 */
export function answerResponse(deps: AnswerResponseDeps): AnswerResponse {
  return async (context, call, request) => {
    const { storage } = deps;
    const { isStored, previousId, itemIds } = request;
    const needsItems = previousId !== undefined || itemIds.length > 0;
    if (!storage || !(isStored || needsItems)) return deps.answer(context, call, request.withItems());
    if (!needsItems)
      return deps.answer(context, call, stored(deps, storage, context, call, request, request.withItems()));
    const { accountId } = call.key;
    let release = () => {};
    try {
      const items = await loadStoredItems(storage, accountId, request, (bytes) => {
        if (deps.bodies.acquire(accountId, bytes)) throw quotaExhausted();
        release = once(() => deps.bodies.release(accountId, bytes));
      });
      const whole = request.withItems(items);
      const answered = isStored ? stored(deps, storage, context, call, request, whole) : whole;
      const reply = await deps.answer(context, call, answered);
      return { ...reply, body: releasedWhenRead(reply.body, release) };
    } catch (error) {
      release();
      throw error;
    }
  };
}

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
