import { GatewayError } from '@gateway/errors';
import { isObject, textOf } from '@gateway/upstream';
import type { ResponsesRequest, StoredItems, StoredReferences } from '../formats/responses/responses-request';
import { isResponseId, placeOf } from '../formats/responses/stored-items';
import type { FoundResponse, LoadedResponse, ResponseReader, ResponseStorage } from './response-storage';

/** As much as a request body may have. */
const MAX_STORED_BYTES = 32 * 1024 ** 2;

/**
 * Returns the items that a call refers to.
 * @param reserve called with the bytes that will be loaded; throws if there is no memory for them
 * @throws GatewayError `not_found` for a reference to something that is not stored for this account, or key; `invalid_request` if there is
 *   too much; `internal_error` if storage can't be reached
 */
export async function loadStoredItems(
  storage: ResponseStorage,
  reader: ResponseReader,
  { previousId, itemIds, mustBeStored }: StoredReferences & Pick<ResponsesRequest, 'mustBeStored'>,
  reserve: (bytes: number) => void,
): Promise<StoredItems> {
  if (previousId !== undefined && !isResponseId(previousId))
    throw new GatewayError('not_found', { detail: 'previous_response_id: the response is not stored' });
  const others = responsesOf(itemIds);
  const found = await storage.find(reader, {
    lastId: previousId,
    otherIds: [...others.keys()],
    stores: mustBeStored,
  });
  const wanted = [
    ...found.conversation.map((response) => ({ ...response, withInput: true })),
    ...found.others.map((response) => ({ ...response, withInput: others.get(response.id) === true })),
  ];
  const bytes = wanted.reduce((sum, response) => sum + bytesOf(response), 0);
  if (bytes > MAX_STORED_BYTES)
    throw new GatewayError('invalid_request', {
      detail: 'the stored items that the call refers to have more than 32 MiB',
    });
  reserve(bytes);
  const loaded = await storage.load(
    reader,
    wanted.map(({ id, withInput }) => ({ id, withInput })),
  );
  const conversation = loaded.slice(0, found.conversation.length).flatMap(itemsOf);
  const byId = new Map<string, unknown>();
  for (const item of loaded.slice(found.conversation.length).flatMap(itemsOf)) {
    if (isObject(item)) byId.set(textOf(item.id), item);
  }
  return { conversation, byId };
}

/** Returns the ids of the items' responses, with whether one of the items is of its input. */
function responsesOf(itemIds: readonly string[]): Map<string, boolean> {
  const responses = new Map<string, boolean>();
  for (const itemId of itemIds) {
    const place = placeOf(itemId);
    if (!place) throw new GatewayError('not_found', { detail: `no stored item has the id ${itemId}` });
    const { responseId, isInput } = place;
    responses.set(responseId, isInput || responses.get(responseId) === true);
  }
  return responses;
}

const bytesOf = ({ inputBytes, responseBytes, withInput }: FoundResponse & { withInput: boolean }): number =>
  responseBytes + (withInput ? inputBytes : 0);

function itemsOf({ input, response }: LoadedResponse): unknown[] {
  const items = input.length === 0 ? [] : (JSON.parse(input.toString()) as unknown[]);
  const { output } = JSON.parse(response.toString()) as { output: unknown[] };
  return [...items, ...output];
}
