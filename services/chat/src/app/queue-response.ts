import { GatewayError } from '@gateway/errors';
import { type LinkCall, type LinkReply, UNRECORDED } from '@gateway/link';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
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
  /** @throws GatewayError `insufficient_balance` for an account without a balance, which may store nothing */
  requireFunds(key: KeyContext__Output): Promise<void>;
  /** Memory for what is loaded. */
  readonly bodies: Quota;
  /** Returns a request id. */
  newId(): string;
  now(): number;
}

/** Of the body, the input items and the response, which storage receives in one message. */
const MAX_QUEUED_BYTES = 12 * 1024 ** 2;

export type QueueResponse = (call: LinkCall, request: ResponsesRequest) => Promise<LinkReply>;

/**
 * Answers a call of a response in the background: what would refuse the call whenever it is sent, refuses it now; otherwise storage sends
 * it later. Its first attempt has the id that the response contains, which is not that of the caller's request.
 */
export function queueResponse({
  check,
  storage,
  requireFunds,
  bodies,
  newId,
  now,
}: QueueResponseDeps): QueueResponse {
  return async (call, request) => {
    const { accountId, keyId } = call.key;
    const { whole, release } = await withStoredItems(storage, bodies, call.key, request);
    try {
      const model = check(call, whole);
      await requireFunds(call.key);
      const replyId = newId();
      const response = Buffer.from(whole.replies.queued({ requestId: replyId, model, createdAtMs: now() }));
      const input = Buffer.from(JSON.stringify(toStoredItems(whole.ownItems, replyId)));
      if (call.body.length + input.length + response.length > MAX_QUEUED_BYTES) throw tooLarge();
      await storage.queue(accountId, {
        id: responseId(replyId),
        keyId,
        previousId: request.previousId,
        input,
        response,
        body: call.body,
      });
      const headers = {
        'content-type': 'application/json',
        'content-length': String(response.length),
        // Only the call that storage sends has a record.
        [UNRECORDED]: 'true',
      };
      return { status: 200, headers, body: response };
    } finally {
      release?.();
    }
  };
}

const tooLarge = () =>
  new GatewayError('invalid_request', {
    detail: 'background: the body and its input items have more than 12 MiB',
  });
