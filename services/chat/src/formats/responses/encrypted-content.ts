import type { Signature } from '../../domain/conversation';
import { readSignature, tagSignature } from '../../domain/signature-tag';
import { readCallSignature, writeCallSignature } from '../call-signature';

/** `~` is not a base64 character, so no provider's signature contains it. */
const REDACTED = '~redacted~';

/** What the `encrypted_content` of a reasoning item proves or contains. */
export type EncryptedContent =
  /** The thinking in the item's summary. */
  | { readonly of: 'thinking'; readonly signature: Signature }
  /** Thinking that the provider does not show. */
  | { readonly of: 'redacted'; readonly signature: Signature }
  /** The tool call with this id, which precedes it; undefined: the one that follows. */
  | { readonly of: 'call'; readonly signature: Signature; readonly callId?: string | undefined };

/** Clients send it back unchanged, to whichever provider answers next: only one of the same format can read it. */
export function writeEncrypted(content: EncryptedContent): string {
  const { signature } = content;
  if (content.of === 'call') return writeCallSignature(signature, content.callId);
  const { wire, value } = signature;
  return tagSignature(content.of === 'redacted' ? { wire, value: REDACTED + value } : signature);
}

/** Content that this gateway has not written is OpenAI's. */
export function readEncrypted(text: string): EncryptedContent {
  const ofCall = readCallSignature(text);
  if (ofCall) return { of: 'call', ...ofCall };
  const signature = readSignature(text, 'openai');
  const { wire, value } = signature;
  return value.startsWith(REDACTED)
    ? { of: 'redacted', signature: { wire, value: value.slice(REDACTED.length) } }
    : { of: 'thinking', signature };
}
