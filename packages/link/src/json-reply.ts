import type { LinkReply } from './server-call';

/** Returns a 200 reply with the value as its JSON body. */
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
