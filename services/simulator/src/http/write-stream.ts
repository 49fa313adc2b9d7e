import type { Call } from './call';
import { dropConnection } from './send';

/** A stream in the provider's format. */
export interface StreamFrames {
  /** Sent with the first piece. */
  readonly head: string;
  readonly count: number;
  piece(index: number): string;
  /** Sent with the last piece, never without it. */
  readonly tail: string;
  /** `latin1`: the text is bytes; absent: UTF-8. */
  readonly encoding?: 'latin1';
}

export interface StreamPace {
  readonly chunkDelayMs: number;
  /** Cuts the connection after so many pieces; a number above `count` never does. */
  readonly dropAfter: number;
  /** Sent instead of the cut; the stream then ends normally. */
  readonly failure?: string;
}

export interface StreamResult {
  readonly sent: number;
  readonly end: 'finished' | 'aborted' | 'dropped' | 'failed';
}

const BATCH_CHARS = 64 * 1024;

/** Writes a stream whose headers were written; `sent` is the number of pieces passed to the socket. */
export async function writeStream(call: Call, frames: StreamFrames, pace: StreamPace): Promise<StreamResult> {
  const last = Math.min(pace.dropAfter, frames.count);
  if (last > 0 && pace.chunkDelayMs > 0) return writePaced(call, frames, pace, last);
  let sent = 0;
  let batch = frames.head;
  for (;;) {
    while (sent < last && batch.length < BATCH_CHARS) batch += frames.piece(sent++);
    if (sent === last) return finish(call, batch, frames, pace, sent);
    const writable = call.res.write(batch, frames.encoding ?? 'utf8');
    batch = '';
    if (!writable && !(await call.drained())) return { sent, end: 'aborted' };
  }
}

// The due time of each piece is computed from the start, so that timer delays do not add up.
async function writePaced(
  call: Call,
  frames: StreamFrames,
  pace: StreamPace,
  last: number,
): Promise<StreamResult> {
  const startMs = performance.now();
  let text = frames.head + frames.piece(0);
  for (let sent = 1; ; sent++) {
    if (sent === last) return finish(call, text, frames, pace, sent);
    const writable = call.res.write(text, frames.encoding ?? 'utf8');
    if (!writable && !(await call.drained())) return { sent, end: 'aborted' };
    const waitMs = startMs + sent * pace.chunkDelayMs - performance.now();
    const live = waitMs > 0 ? await call.sleep(waitMs) : await call.yieldToOthers();
    if (!live) return { sent, end: 'aborted' };
    text = frames.piece(sent);
  }
}

function finish(
  call: Call,
  text: string,
  frames: StreamFrames,
  { dropAfter, failure }: StreamPace,
  sent: number,
): StreamResult {
  if (dropAfter <= frames.count) {
    if (failure !== undefined) {
      call.res.end(text + failure, frames.encoding ?? 'utf8');
      return { sent, end: 'failed' };
    }
    call.res.write(text, frames.encoding ?? 'utf8');
    dropConnection(call.res);
    return { sent, end: 'dropped' };
  }
  call.res.end(text + frames.tail, frames.encoding ?? 'utf8');
  return { sent, end: 'finished' };
}
