import type { Signature } from '../domain/conversation';
import { isTagged, readSignature, tagSignature } from '../domain/signature-tag';

/** `~` is not a base64 character, so no provider's signature contains it. */
const OF_CALL = '~call~';

/**
 * Writes the signature of a tool call, for which this format has no field, as that of an empty thinking block before the
 * call. Clients have to send thinking back unchanged (models that hide their thinking return such empty blocks), while many
 * drop unknown fields of a tool_use.
 */
export function writeCallSignature({ wire, value }: Signature): string {
  return tagSignature({ wire, value: OF_CALL + value });
}

/** Returns undefined for an ordinary thinking block. */
export function readCallSignature(signature: string): Signature | undefined {
  if (!isTagged(signature)) return undefined;
  const { wire, value } = readSignature(signature, 'anthropic');
  return value.startsWith(OF_CALL) ? { wire, value: value.slice(OF_CALL.length) } : undefined;
}
