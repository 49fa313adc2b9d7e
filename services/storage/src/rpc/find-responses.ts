import { GatewayError } from '@gateway/errors';
import type { FindResponsesRequest__Output } from '@gateway/proto/generated/gateway/storage/v1/FindResponsesRequest';
import type { RequestContext } from '@gateway/rpc';
import type { ResponseQuota } from '../responses/store/response-quota';
import type { ResponseSize, Responses } from '../responses/store/responses';

/** Of a conversation, and of other responses in one call. */
const MAX_RESPONSES = 1_000;

export const findResponses =
  (responses: Pick<Responses, 'conversation' | 'sizes'>, quota: Pick<ResponseQuota, 'check'>) =>
  async (_context: RequestContext, request: FindResponsesRequest__Output) => {
    const { accountId, lastId, otherIds, onlyKeyId, stores } = request;
    if (stores) await quota.check(accountId, 0);
    if (otherIds.length > MAX_RESPONSES) throw tooMany('items of more than 1,000 responses are referred to');
    const reader = { accountId, onlyKeyId: onlyKeyId || undefined };
    const [conversation, others] = await Promise.all([
      lastId === '' ? [] : responses.conversation(reader, lastId, MAX_RESPONSES + 1),
      otherIds.length === 0 ? [] : responses.sizes(reader, otherIds),
    ]);
    if (!conversation) throw notFound('previous_response_id');
    if (conversation.length > MAX_RESPONSES)
      throw tooMany('previous_response_id: the conversation has more than 1,000 responses');
    const byId = new Map(others.map((size) => [size.id, size]));
    const found = otherIds.map((id) => byId.get(id));
    if (!found.every((size) => size !== undefined)) throw notFound('an item');
    refuseUnfinished(conversation, 'previous_response_id');
    refuseUnfinished(found, 'an item');
    return { conversation, others: found };
  };

function refuseUnfinished(responses: readonly ResponseSize[], what: string): void {
  const found = responses.find(({ state }) => state !== undefined);
  if (!found) return;
  const why = found.state === 'open' ? 'has not ended' : 'failed or was cancelled';
  throw new GatewayError('invalid_request', { detail: `${what}: the response ${found.id} ${why}` });
}

const tooMany = (detail: string) => new GatewayError('invalid_request', { detail });

const notFound = (what: string) =>
  new GatewayError('not_found', { detail: `${what}: the response, or one that it continues, is not stored` });
