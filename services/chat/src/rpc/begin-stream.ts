import { isErrorEvent } from '../sse/error-event';
import { dataOf, parseData } from '../sse/sse-data';
import { SseSplitter } from '../sse/sse-splitter';
import { within } from './within';

/**
 * Waits for a stream's first event, so that a provider that fails before it is answered as any other failure
 * is: with a status, and without a charge. The reply's bytes from that event on; comments before it are
 * dropped, they only kept the connection open.
 * @param timeoutMs for all of the wait: comments alone may come for ever
 * @throws Error when the stream ends first, takes too long or begins with something else than a chunk
 */
export async function beginStream(
  body: AsyncIterable<Buffer>,
  timeoutMs: number,
): Promise<AsyncIterable<Buffer>> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    const begun = await within(firstEvents(pieces), timeoutMs);
    if (!begun) throw new Error('stream did not begin in time');
    return resumed(begun, pieces);
  } catch (error) {
    await pieces.return?.();
    throw error;
  }
}

async function firstEvents(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  const splitter = new SseSplitter();
  for (;;) {
    const piece = await pieces.next();
    if (piece.done) throw new Error('stream ended before its first event');
    const events = splitter.push(piece.value);
    const first = events.findIndex((event) => dataOf(event) !== '');
    if (first === -1) continue;
    assertChunk(events[first]!);
    return Buffer.concat([...events.slice(first), splitter.rest]);
  }
}

function assertChunk(event: Buffer): void {
  const chunk = parseData(event);
  if (isErrorEvent(event, chunk)) throw new Error('stream begins with an error event');
  if (!chunk) throw new Error('stream begins with no chunk');
}

/** By hand: a generator around the reply would cost something for every piece of it. */
function resumed(begun: Buffer, rest: AsyncIterator<Buffer>): AsyncIterable<Buffer> {
  let first: Buffer | undefined = begun;
  const pieces: AsyncIterableIterator<Buffer> = {
    [Symbol.asyncIterator]: () => pieces,
    next() {
      if (first === undefined) return rest.next();
      const value = first;
      first = undefined;
      return Promise.resolve({ value, done: false });
    },
    return: () => rest.return?.() ?? Promise.resolve({ value: undefined, done: true }),
  };
  return pieces;
}
