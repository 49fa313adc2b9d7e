const TAG = 'gws1.';

/**
 * Returns a summary of a conversation as the content of a compaction that the gateway has made. It is readable, so that any model can
 * go on from it: it tells its caller nothing that the caller has not sent or paid for.
 */
export const writeSummary = (text: string): string => TAG + Buffer.from(text).toString('base64url');

/** Returns the text of such a summary; undefined for content that a provider has encrypted. */
export function readSummary(content: string): string | undefined {
  if (!content.startsWith(TAG)) return undefined;
  return Buffer.from(content.slice(TAG.length), 'base64url').toString('utf8') || undefined;
}
