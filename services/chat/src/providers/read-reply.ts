import type { HttpResponse } from '@gateway/http-client';
import type { WholeReply } from '../domain/chat-provider';
import { MAX_REPLY_BYTES, type ReplyMemory, ReplyTooLarge } from '../domain/reply-memory';
import { parseExact } from '../json/exact-json';

/** Enough of an error response to read its message. */
const MAX_REFUSAL_BYTES = 64 * 1024;

export interface ReplyObject extends WholeReply {
  readonly value: Record<string, unknown>;
}

/**
 * Reads a complete reply.
 * @param memory reserved for the reply; its caller releases it
 * @throws Error when the reply is truncated or not a JSON object; ReplyTooLarge; ReplyMemoryExhausted
 */
export async function readReply(reply: HttpResponse['body'], memory: ReplyMemory): Promise<ReplyObject> {
  const bytes = await readReplyBytes(reply, memory);
  const value = parseJson(bytes, parseExact);
  if (typeof value !== 'object' || value === null) throw new Error('reply is not a JSON object');
  return { bytes, value: value as Record<string, unknown> };
}

/** Reads the bytes of a complete reply; as `readReply`. */
export async function readReplyBytes(reply: HttpResponse['body'], memory: ReplyMemory): Promise<Buffer> {
  const bytes = await readAll(reply, MAX_REPLY_BYTES, memory);
  memory.shrink(bytes.length);
  return bytes;
}

/** Returns the body of an error response, or undefined if it can't be read. */
export async function readRefusalBody(body: HttpResponse['body']): Promise<unknown> {
  try {
    return parseJson(await readAll(body, MAX_REFUSAL_BYTES), JSON.parse);
  } catch {
    return undefined;
  }
}

/** Returns undefined for invalid JSON: the parser's own error would quote the reply, and errors are logged. */
function parseJson(bytes: Buffer, parse: (json: string) => unknown): unknown {
  try {
    return parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

async function readAll(body: HttpResponse['body'], maxBytes: number, memory?: ReplyMemory): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const bytes of body) {
    size += bytes.length;
    if (size > maxBytes) throw new ReplyTooLarge('reply is too large');
    pieces.push(bytes);
    const reserved = memory?.grow(size);
    if (reserved) await reserved;
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
