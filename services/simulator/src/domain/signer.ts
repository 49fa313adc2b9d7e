import { createHmac } from 'node:crypto';

// Not a secret: it can only forge a simulator's signatures. Constant, so that conversations survive a restart.
const KEY = 'simulator';

type SignedKind = 'thinking' | 'reasoning' | 'compaction' | 'hidden' | 'call' | 'search';

/** Returns a keyed hash, so that a part of a reply is recognized later without being stored. */
export function sign(kind: SignedKind, text: string): string {
  return createHmac('sha256', KEY).update(`${kind}\n${text}`).digest('base64');
}

/** Returns the opaque replacement of thinking that is not shown; it contains its own signature. */
export function redact(thought: string): string {
  const digest = sign('hidden', thought);
  return `${digest}${sign('hidden', digest)}`;
}

export function isRedacted(data: string): boolean {
  const half = data.length / 2;
  return data.length > 0 && data.slice(half) === sign('hidden', data.slice(0, half));
}

/** Returns the signature in hex, which is safe in a path. */
export function signLink(path: string): string {
  return createHmac('sha256', KEY).update(`link\n${path}`).digest('hex');
}
