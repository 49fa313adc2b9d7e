import type { LinkCall, LinkReply } from '@gateway/link';
import type { Quota } from '@gateway/quota';
import { responseId } from '../domain/response-members';
import type { ResponsesRequest } from '../formats/responses/responses-request';
import { toStoredItems } from '../formats/responses/stored-items';
import type { CheckChat } from './answer-chat';
import { withStoredItems } from './answer-response';
import type { ResponseStorage } from './response-storage';

export interface QueueResponseDeps {
  readonly check: CheckChat;
  readonly storage: ResponseStorage;
  /** Memory for what is loaded. */
  readonly bodies: Quota;
  /** Returns a request id. */
  newId(): string;
}

export type QueueResponse = (call: LinkCall, request: ResponsesRequest) => Promise<LinkReply>;

/**
 * Answers a call of a response in the background: what would refuse the call whenever it is sent, refuses it now; otherwise storage sends
 * it later. Its first attempt has the id that the response contains, which is not that of the caller's request.
 */
export function queueResponse({ check, storage, bodies, newId }: QueueResponseDeps): QueueResponse {
  return async (call, request) => {
    const { accountId, keyId } = call.key;
    const { whole, release } = await withStoredItems(storage, bodies, accountId, request);
    try {
      const replyId = newId();
      const model = check(call, whole);
      const identity = { requestId: replyId, model, createdAtMs: Date.now() };
      const response = Buffer.from(whole.replies.queued(identity));
      await storage.queue(accountId, {
        id: responseId(replyId),
        keyId,
        previousId: request.previousId,
        input: Buffer.from(JSON.stringify(toStoredItems(whole.ownItems, replyId))),
        response,
        body: call.body,
      });
      const headers = { 'content-type': 'application/json', 'content-length': String(response.length) };
      return { status: 200, headers, body: response };
    } finally {
      release?.();
    }
  };
}
