const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/** No event of a chat stream is larger. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Splits a stream of server-sent events at event boundaries, whatever the chunks. */
export class SseSplitter {
  #rest: Buffer = NOTHING;

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
    for (;;) {
      const end = eventEnd(all, from);
      if (end === -1) break;
      events.push(all.subarray(start, end));
      start = end;
      from = end;
    }
    this.#rest = start === all.length ? NOTHING : all.subarray(start);
    if (this.#rest.length > MAX_EVENT_BYTES) throw new Error('server-sent event too large');
    return events;
  }

  /** Bytes of an incomplete event. */
  get rest(): Buffer {
    return this.#rest;
  }
}

/** Returns the index after the next blank line, written with LF or CRLF; -1 if there is none yet. */
function eventEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}
