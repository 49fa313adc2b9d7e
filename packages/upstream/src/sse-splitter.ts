const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);
const BLANK_LINE = Buffer.from('\n\n');

/** No event of a chat stream is larger. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Splits a stream of server-sent events at event boundaries, whatever the chunks. */
export class SseSplitter {
  #rest: Buffer = NOTHING;
  /** A CR alone ends lines of this stream. */
  #hasLoneCr = false;

  /**
   * Returns the events that `bytes` completes, each with its blank line.
   * @throws Error when an event exceeds the maximum size
   */
  push(bytes: Buffer): Buffer[] {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const events: Buffer[] = [];
    let start = 0;
    // The last bytes of the rest may start the boundary.
    let from = Math.max(0, this.#rest.length - 3);
    this.#hasLoneCr ||= hasLoneCr(all, from);
    const endAfter = this.#hasLoneCr ? anyEventEnd : eventEnd;
    for (;;) {
      const end = endAfter(all, from);
      if (end === -1) break;
      events.push(all.subarray(start, end));
      start = end;
      from = end;
    }
    this.#rest = start === all.length ? NOTHING : all.subarray(start);
    if (this.#rest.length > MAX_EVENT_BYTES) throw new Error('server-sent event too large');
    return events;
  }

  /** Returns the last event of a stream that has ended without its blank line, which some servers omit; none if nothing is left. */
  end(): Buffer[] {
    let end = this.#rest.length;
    while (end > 0 && (this.#rest[end - 1] === LF || this.#rest[end - 1] === CR)) end--;
    return end === 0 ? [] : [Buffer.concat([this.#rest.subarray(0, end), BLANK_LINE])];
  }

  /** Bytes of an incomplete event. */
  get rest(): Buffer {
    return this.#rest;
  }
}

function hasLoneCr(bytes: Buffer, from: number): boolean {
  let at = bytes.indexOf(CR, from);
  while (at !== -1 && bytes[at + 1] === LF) at = bytes.indexOf(CR, at + 2);
  // What follows the last byte is not known yet.
  return at !== -1 && at + 1 < bytes.length;
}

/** Like `eventEnd`, but each line may end with LF, CRLF or CR. Slower: nearly no server writes the last. */
function anyEventEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const end = lineEnd(bytes, at);
    const blankEnd = end === -1 ? -1 : lineEnd(bytes, end);
    if (blankEnd !== -1) return blankEnd;
  }
  return -1;
}

/** Returns the index after the line end at `at`; -1 if there is none. */
function lineEnd(bytes: Buffer, at: number): number {
  if (bytes[at] === LF) return at + 1;
  if (bytes[at] !== CR) return -1;
  return bytes[at + 1] === LF ? at + 2 : at + 1;
}

/** Yields the events of a stream, also a last one without its blank line. */
export async function* splitEvents(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const splitter = new SseSplitter();
  for await (const bytes of body) yield* splitter.push(bytes);
  yield* splitter.end();
}

/** Returns the index after the next blank line, written with LF or CRLF; -1 if there is none yet. */
function eventEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}
