import type { HttpResponse } from '@gateway/http-client';
import { UpstreamError, type UpstreamFailure } from '@gateway/upstream';
import type { ChatProvider } from '../domain/chat-provider';
import { parseExactObject } from '../json/exact-json';
import { failureInBody } from '../providers/refusal';
import { resumed } from './resumed';

/** Of a body that may be an error. */
const MAX_ERROR_BYTES = 64 * 1024;
/** An error begins within these. */
const HEAD_BYTES = 2 * 1024;
/** Members of an error. A quote inside a JSON string is escaped, so these are always members. */
const MARKS = /"error" ?: ?[{"]|"object" ?: ?"error"/;

/**
 * Returns the body of a response whose status is a success, once its first piece has arrived. Some servers send an error so, which
 * is then handled as if its status had said it: by another target, or with the error's own status.
 * @throws UpstreamError for an error
 */
export async function beginBody(
  { body, headers }: Pick<HttpResponse, 'body' | 'headers'>,
  provider: Pick<ChatProvider, 'refusalOf'>,
): Promise<HttpResponse['body']> {
  const pieces = body[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  let next = await pieces.next();
  if (!next.done) read.push(next.value);
  if (!next.done && MARKS.test(next.value.toString('latin1', 0, HEAD_BYTES))) {
    for (let bytes = 0; !next.done && bytes <= MAX_ERROR_BYTES; next = await pieces.next()) {
      if (bytes > 0) read.push(next.value);
      bytes += next.value.length;
    }
    if (next.done) throwError(Buffer.concat(read), headers, provider);
    else read.push(next.value);
  }
  return resumed(read.length === 1 ? read[0]! : Buffer.concat(read), pieces);
}

function throwError(
  bytes: Buffer,
  headers: HttpResponse['headers'],
  provider: Pick<ChatProvider, 'refusalOf'>,
): void {
  const value = parseExactObject(bytes.toString('utf8'));
  const failure: UpstreamFailure | undefined = value && failureInBody(provider, value, headers);
  if (failure) throw new UpstreamError(failure);
}
