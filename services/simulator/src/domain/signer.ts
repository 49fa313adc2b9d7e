import { createHmac } from 'node:crypto';

// No secret: whoever reads it can only forge the thoughts of a simulator. Fixed, so that a conversation outlives it.
const KEY = 'simulator';

/** A keyed hash of what was said, so that a reply's part can be known again without keeping it. */
export function sign(kind: 'thinking' | 'hidden' | 'call', text: string): string {
  return createHmac('sha256', KEY).update(`${kind}\n${text}`).digest('base64');
}

/** What stands for a thought that is not shown: opaque, and signed by itself. */
export function redact(thought: string): string {
  const digest = sign('hidden', thought);
  return `${digest}${sign('hidden', digest)}`;
}

export function isRedacted(data: string): boolean {
  const half = data.length / 2;
  return data.length > 0 && data.slice(half) === sign('hidden', data.slice(0, half));
}

/** In hex, so that it can stand in a path. */
export function signLink(path: string): string {
  return createHmac('sha256', KEY).update(`link\n${path}`).digest('hex');
}
