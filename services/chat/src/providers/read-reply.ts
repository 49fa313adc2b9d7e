import type { HttpResponse } from '@gateway/http-client';
import { type JsonObject, SseSplitter } from '@gateway/upstream';
import type { WholeReply } from '../domain/chat-provider';
import type { ReplyFraming } from '../domain/reply-framing';
import { MAX_REPLY_BYTES, type ReplyMemory, ReplyTooLarge } from '../domain/reply-memory';
import { parseExact, parseExactObject } from '../json/exact-json';
import { isErrorEvent } from '../sse/error-event';
import { dataOf, isDoneMarker } from '../sse/sse-data';

/** Enough of an error response to read its message. */
const MAX_REFUSAL_BYTES = 64 * 1024;
/** How server-sent events begin: with a field or a comment. */
const EVENTS = /^\s*(?:data|event|id|retry)?:/;
const HEAD_BYTES = 64;

export interface ReplyObject extends WholeReply {
  readonly value: Record<string, unknown>;
}

/**
 * Reads a complete reply.
 * @param memory reserved for the reply; its caller releases it
 * @param framing joins the events of a server that streams unasked; absent: such a reply is refused
 * @throws Error when the reply is truncated or not a JSON object; ReplyTooLarge; ReplyMemoryExhausted
 */
export async function readReply(
  reply: HttpResponse['body'],
  memory: ReplyMemory,
  framing?: ReplyFraming,
): Promise<ReplyObject> {
  const bytes = await readReplyBytes(reply, memory);
  const value = parseJson(bytes, parseExact);
  if (value === undefined && framing && EVENTS.test(bytes.toString('latin1', 0, HEAD_BYTES))) {
    const whole = joinEvents(bytes, framing);
    return { bytes: Buffer.from(JSON.stringify(whole)), value: whole };
  }
  if (typeof value !== 'object' || value === null) throw new Error('reply is not a JSON object');
  return { bytes, value: value as Record<string, unknown> };
}

/** @throws Error for an event that is not JSON, and for a truncated stream */
function joinEvents(bytes: Buffer, framing: ReplyFraming): Record<string, unknown> {
  const events: JsonObject[] = [];
  let isMarked = false;
  const splitter = new SseSplitter();
  for (const event of [...splitter.push(bytes), ...splitter.end()]) {
    const data = dataOf(event);
    if (data === '') continue;
    isMarked ||= isDoneMarker(data);
    if (isMarked) break;
    const value = parseExactObject(data);
    if (!value) throw new Error('provider sent an event that is not a JSON object');
    // Its meaning is that of an error in place of a reply.
    if (isErrorEvent(event, value)) return value;
    events.push(value);
  }
  const whole = framing.toWhole(events, isMarked);
  if (!whole) throw new Error('stream ended too early');
  return { ...whole };
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
