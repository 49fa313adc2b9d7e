import type { HttpResponse } from '@gateway/http-client';
import { type JsonObject, SseSplitter, UpstreamError, type UpstreamFailure } from '@gateway/upstream';
import type { ChatProvider } from '../domain/chat-provider';
import { parseExactObject } from '../json/exact-json';
import { failureInBody } from '../providers/refusal';
import { dataOf } from '../sse/sse-data';
import { resumed } from './resumed';

/** Of a body that may be an error. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Of white space before a body. */
const MAX_BLANK_BYTES = 64 * 1024;
const SPACE = 0x20;
/** An error begins within these. */
const HEAD_BYTES = 2 * 1024;
/** Members of an error. A quote inside a JSON string is escaped, so these are always members. */
const MARKS = /"error" ?: ?[{"]|"object" ?: ?"error"/;

/**
 * Returns the body of a response whose status is a success, once its first piece has arrived. Some servers send an error so, which
 * is then handled as if its status had said it: by another target, or with the error's own status.
 * @param isWhole it is no stream, so white space is no beginning: some servers write it to keep the connection until they answer
 * @throws UpstreamError for an error, also in an event
 */
export async function beginBody(
  { body, headers }: Pick<HttpResponse, 'body' | 'headers'>,
  provider: Pick<ChatProvider, 'refusalOf'>,
  isWhole: boolean,
): Promise<HttpResponse['body']> {
  const pieces = body[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  let size = 0;
  const readOn = async (): Promise<Buffer | undefined> => {
    const next = await pieces.next();
    if (next.done) return undefined;
    read.push(next.value);
    size += next.value.length;
    return next.value;
  };
  let last = await readOn();
  while (isWhole && last && startOf(last) === last.length && size <= MAX_BLANK_BYTES) last = await readOn();
  if (last && isMarked(last)) {
    const most = size + MAX_ERROR_BYTES;
    while (last && size <= most) last = await readOn();
    if (!last) throwError(Buffer.concat(read), headers, provider);
  }
  return resumed(read.length === 1 ? read[0]! : Buffer.concat(read), pieces);
}

/** Returns the number of blanks and line ends before anything else. */
function startOf(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && bytes[at]! <= SPACE) at++;
  return at;
}

function isMarked(bytes: Buffer): boolean {
  const start = startOf(bytes);
  return MARKS.test(bytes.toString('latin1', start, start + HEAD_BYTES));
}

function throwError(
  bytes: Buffer,
  headers: HttpResponse['headers'],
  provider: Pick<ChatProvider, 'refusalOf'>,
): void {
  const value = parseExactObject(bytes.toString('utf8')) ?? firstEvent(bytes);
  const failure: UpstreamFailure | undefined = value && failureInBody(provider, value, headers);
  if (failure) throw new UpstreamError(failure);
}

/** Returns the data of the first event, from a server that streams unasked; undefined if it is not an object. */
function firstEvent(bytes: Buffer): JsonObject | undefined {
  const splitter = new SseSplitter();
  const events = [...splitter.push(bytes), ...splitter.end()];
  const data = events.map(dataOf).find((text) => text !== '');
  return data === undefined ? undefined : parseExactObject(data);
}
