import { SseSplitter } from '@gateway/upstream';
import { dataOf } from './sse-data';

/** White space between the elements of an array. */
const KEEP_ALIVE = Buffer.from('\n');

/**
 * Writes the events of a stream as the elements of a JSON array. Each chunk of the result ends after an element, and the array is
 * complete even if the last element is an error.
 * @param chunks each of whole events
 */
export async function* toJsonArray(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const splitter = new SseSplitter();
  let separator = '[';
  for await (const chunk of chunks) {
    let written = '';
    for (const event of splitter.push(chunk)) {
      const data = dataOf(event);
      if (data === '') continue;
      written += separator + data;
      separator = ',\n';
    }
    yield written === '' ? KEEP_ALIVE : Buffer.from(written);
  }
  yield Buffer.from(separator === '[' ? '[]' : ']');
}
