import type { Signature } from '../../domain/conversation';
import { isTagged, readSignature, tagSignature } from '../../domain/signature-tag';

/** No letter of base64, in which providers write signatures. */
const OF_CALL = '~call~';

/**
 * The signature of a tool call, for which this format has no place: it goes as that of an empty thinking block
 * right before the call. Clients have to send thinking back as it came (models that keep theirs to themselves
 * answer with such empty blocks), while fields that they do not know on a tool_use are dropped by many.
 */
export function writeCallSignature({ wire, value }: Signature): string {
  return tagSignature({ wire, value: OF_CALL + value });
}

/** Undefined when the thinking block has a meaning of its own. */
export function readCallSignature(signature: string): Signature | undefined {
  if (!isTagged(signature)) return undefined;
  const { wire, value } = readSignature(signature, 'anthropic');
  return value.startsWith(OF_CALL) ? { wire, value: value.slice(OF_CALL.length) } : undefined;
}
