import { type JsonObject, textOf } from '@gateway/upstream';
import { isTagged, readSignature, tagSignature } from '../../../domain/signature-tag';

/** Neither base64 nor an id contains it. */
const SEPARATOR = '~';

/**
 * Returns the encrypted content of an item with the account and the id that it is tied to: OpenAI accepts it from the
 * same organization only, and under the id under which it was sent (maximhq/bifrost#5186).
 * @param account a short name of the account, which callers may see
 */
export const sealed = (account: string, id: string, content: string): string =>
  tagSignature({ wire: 'responses', value: [account, id, content].join(SEPARATOR) });

/** Returns an item with encrypted content as the account sent it; undefined if it is another provider's or account's. */
export function unsealed(item: JsonObject, account: string): JsonObject | undefined {
  const text = textOf(item.encrypted_content);
  if (!isTagged(text)) return undefined;
  const { wire, value } = readSignature(text, 'openai');
  if (wire !== 'responses') return undefined;
  const [from, id, ...content] = value.split(SEPARATOR);
  const secret = content.join(SEPARATOR);
  return from === account && secret !== '' ? { ...item, id, encrypted_content: secret } : undefined;
}
