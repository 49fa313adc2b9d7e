import type { LinkReply } from './server-call';

/** 200 with the value as JSON, whole in memory. */
export function jsonReply(
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): LinkReply & { readonly body: Buffer } {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status: 200,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': String(body.length) },
    body,
  };
}
