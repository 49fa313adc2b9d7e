import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { parseExactObject } from '../../json/exact-json';
import { namedFrame } from '../../sse/named-frame';
import { parseExactData } from '../../sse/sse-data';

/** The end of a response as its storage needs it. */
export interface ResponseEnd {
  /** The complete response, with encrypted content, which the next call needs. */
  readonly stored: { readonly id: string; readonly json: string } | undefined;
  /** Returns the end of the reply for a response that is stored. @param end as it was written */
  saved(end: Buffer): Buffer;
  /** Returns the end of the reply for a response that could not be stored. @param end as it was written */
  unstored(end: Buffer): Buffer;
}

/**
 * Reads the end of a response that was passed through: its last event, or all of it.
 * @param keepsEncrypted the caller has asked for encrypted content
 */
export function passedEnd(end: Buffer, keepsEncrypted: boolean): ResponseEnd {
  const event = parseExactData(end);
  const response = membersOf(event ? event.response : parseExactObject(end.toString('utf8')));
  const write = (shown: JsonObject): Buffer =>
    Buffer.from(
      event
        ? namedFrame(textOf(event.type), JSON.stringify({ ...event, response: shown }))
        : JSON.stringify(shown),
    );
  const shown = keepsEncrypted ? response : withoutEncrypted(response);
  return {
    stored: { id: textOf(response.id), json: JSON.stringify(response) },
    saved: (written) => (keepsEncrypted ? written : write(shown)),
    unstored: () => write({ ...shown, store: false }),
  };
}

function withoutEncrypted(response: JsonObject): JsonObject {
  const output = listOf(response.output).map((item) => {
    if (!isObject(item) || item.type !== 'reasoning' || !('encrypted_content' in item)) return item;
    const { encrypted_content: _, ...others } = item;
    return others;
  });
  return { ...response, output };
}
