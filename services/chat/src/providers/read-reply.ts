import type { WholeReply } from '../domain/chat-provider';
import { type HeldReply, MAX_REPLY_BYTES } from '../domain/reply-room';
import { parseExact } from '../json/exact-json';
import type { UpstreamResponse } from './upstream-http';

/** Enough of a refusal to read its message. */
const MAX_REFUSAL_BYTES = 64 * 1024;

export interface ReplyObject extends WholeReply {
  readonly value: Record<string, unknown>;
}

/** Its provider has made it, and tells at its end for what. */
export class ReplyTooLarge extends Error {}

/**
 * @param held the room that is taken for it, which is its reader's to give
 * @throws Error when the reply is cut or no JSON object; ReplyTooLarge; GatewayError when there is no room for it
 */
export async function readReply(reply: UpstreamResponse['body'], held: HeldReply): Promise<ReplyObject> {
  const bytes = await readAll(reply, MAX_REPLY_BYTES, held);
  held.end(bytes.length);
  const value = parseJson(bytes, parseExact);
  if (typeof value !== 'object' || value === null) throw new Error('reply is no JSON object');
  return { bytes, value: value as Record<string, unknown> };
}

/** The body of a refusal, as far as it can be read. */
export async function readRefusalBody(body: UpstreamResponse['body']): Promise<unknown> {
  try {
    return parseJson(await readAll(body, MAX_REFUSAL_BYTES), JSON.parse);
  } catch {
    return undefined;
  }
}

/** Undefined for what is no JSON: the parser's own error would quote the reply, and errors are logged. */
function parseJson(bytes: Buffer, parse: (json: string) => unknown): unknown {
  try {
    return parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

async function readAll(body: UpstreamResponse['body'], maxBytes: number, held?: HeldReply): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const bytes of body) {
    size += bytes.length;
    if (size > maxBytes) throw new ReplyTooLarge('reply is too large');
    pieces.push(bytes);
    const room = held?.grow(size);
    if (room) await room;
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
