import type { LinkReply } from '@gateway/runtime';

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
