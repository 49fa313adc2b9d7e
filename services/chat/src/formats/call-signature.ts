import type { Signature } from '../domain/conversation';
import { isTagged, readSignature, tagSignature } from '../domain/signature-tag';

/** `~` is not a base64 character, so no provider's signature contains it. */
const OF_CALL = '~call~';
const OF_EARLIER_CALL = '~earlier-call~';

export interface CallSignature {
  readonly signature: Signature;
  /** The id of a call before it; undefined: it is that of the next call. */
  readonly callId: string | undefined;
}

/**
 * Writes the signature of a tool call, for which this format has no field, as that of an empty thinking block before the
 * call. Clients have to send thinking back unchanged (models that hide their thinking return such empty blocks), while many
 * drop unknown fields of a tool_use.
 * @param callId of a call that has been written before its signature was known
 */
export function writeCallSignature({ wire, value }: Signature, callId?: string): string {
  const place = callId === undefined ? OF_CALL : `${OF_EARLIER_CALL}${callId}~`;
  return tagSignature({ wire, value: place + value });
}

/** Returns undefined for an ordinary thinking block. */
export function readCallSignature(signature: string): CallSignature | undefined {
  if (!isTagged(signature)) return undefined;
  const { wire, value } = readSignature(signature, 'anthropic');
  if (value.startsWith(OF_CALL))
    return { signature: { wire, value: value.slice(OF_CALL.length) }, callId: undefined };
  if (!value.startsWith(OF_EARLIER_CALL)) return undefined;
  const end = value.lastIndexOf('~');
  return {
    signature: { wire, value: value.slice(end + 1) },
    callId: value.slice(OF_EARLIER_CALL.length, end),
  };
}
