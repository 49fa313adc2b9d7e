import { GatewayError, toErrorDetail } from '@gateway/proto';
import type { CallFrame__Output } from '@gateway/proto/generated/gateway/edge/v1/CallFrame';
import type { CallFrames__Output } from '@gateway/proto/generated/gateway/edge/v1/CallFrames';
import type { CallOpen__Output } from '@gateway/proto/generated/gateway/edge/v1/CallOpen';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { ReplyFrame } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrame';
import type { ReplyFrames } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrames';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { Logger } from './log';
import type { RequestContext } from './request-context';
import { TickBatcher } from './tick-batcher';

/** Reply bytes that may be under way to the caller of one call before it says that it took some. */
export const LINK_WINDOW_BYTES = 256 * 1024;
/** Largest piece of a body or reply in one frame. */
export const LINK_SLICE_BYTES = 128 * 1024;

export interface LinkCall {
  readonly method: string;
  readonly path: string;
  readonly key: KeyContext__Output;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface LinkReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An iterable is a stream; errors in its middle are the format's to frame, so it should not throw. */
  readonly body: Buffer | AsyncIterable<Buffer>;
}

export type LinkHandler = (context: RequestContext, call: LinkCall) => Promise<LinkReply>;

type Frames = TickBatcher<ReplyFrame, ReplyFrames>;
type RelayStream = ServerDuplexStream<CallFrames__Output, ReplyFrames>;

/** Answers the calls of a link (`gateway.edge.v1` frames over one two-way stream per calling process). */
export class LinkServer {
  readonly #handler: LinkHandler;
  readonly #log: Logger;
  readonly #links = new Set<{ stream: RelayStream; calls: Map<number, AnsweredCall> }>();
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(options: { handler: LinkHandler; log: Logger }) {
    this.#handler = options.handler;
    this.#log = options.log;
  }

  /** The `Relay` method. */
  readonly relay = (stream: RelayStream): void => {
    const calls = new Map<number, AnsweredCall>();
    const link = { stream, calls };
    const frames: Frames = new TickBatcher(stream, (items) => ({ frames: items }));
    this.#links.add(link);
    stream.sendMetadata(new Metadata());
    if (this.#draining) stream.write({ draining: true });
    stream.on('data', (message: CallFrames__Output) => {
      for (const frame of message.frames) this.#onFrame(calls, frames, frame);
    });
    const lost = () => {
      if (!this.#links.delete(link)) return;
      frames.close();
      for (const call of calls.values()) call.callerLeft();
      stream.end();
      this.#checkIdle();
    };
    stream.on('end', lost);
    stream.on('error', lost);
    stream.on('cancelled', lost);
  };

  get callsInFlight(): number {
    let count = 0;
    for (const link of this.#links) count += link.calls.size;
    return count;
  }

  /** Asks callers for no more calls; resolves when those in flight are answered. */
  async drain(): Promise<void> {
    this.#draining = true;
    for (const link of this.#links) link.stream.write({ draining: true });
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#checkIdle();
    });
  }

  /** Ends every link. */
  close(): void {
    for (const link of this.#links) link.stream.end();
  }

  #onFrame(calls: Map<number, AnsweredCall>, frames: Frames, frame: CallFrame__Output): void {
    if (frame.frame === 'open' && frame.open) {
      const call = new AnsweredCall(frame.call, frame.open, frames, this.#log, this.#handler);
      calls.set(frame.call, call);
      call.finished.then(() => {
        calls.delete(frame.call);
        this.#checkIdle();
      });
      return;
    }
    // A frame of a call that has just ended crosses its end on the way: nothing to do.
    const call = calls.get(frame.call);
    if (!call) return;
    if (frame.frame === 'body' && frame.body) call.receive(frame.body);
    else if (frame.frame === 'cancel') call.callerLeft();
    else if (frame.frame === 'creditBytes' && frame.creditBytes) call.addCredit(frame.creditBytes);
  }

  #checkIdle(): void {
    if (this.#draining && this.callsInFlight === 0) this.#onIdle?.();
  }
}

class AnsweredCall {
  readonly finished: Promise<void>;
  readonly #id: number;
  readonly #open: CallOpen__Output;
  readonly #frames: Frames;
  readonly #abort = new AbortController();
  readonly #deadline: NodeJS.Timeout;
  #body: Buffer[] = [];
  #missingBytes: number;
  #start!: (body: Buffer) => void;
  #creditBytes = LINK_WINDOW_BYTES;
  #onCredit: (() => void) | undefined;

  constructor(id: number, open: CallOpen__Output, frames: Frames, log: Logger, handler: LinkHandler) {
    this.#id = id;
    this.#open = open;
    this.#frames = frames;
    this.#missingBytes = open.bodyBytes;
    this.#deadline = setTimeout(() => this.callerLeft(), open.timeoutMs);
    const body = new Promise<Buffer>((resolve) => {
      this.#start = resolve;
    });
    if (this.#missingBytes === 0) this.#start(Buffer.alloc(0));
    this.finished = body
      .then((bytes) => this.#answer(bytes, log, handler))
      .finally(() => clearTimeout(this.#deadline));
  }

  receive(bytes: Buffer): void {
    this.#body.push(bytes);
    this.#missingBytes -= bytes.length;
    if (this.#missingBytes > 0) return;
    const body = this.#body.length === 1 ? bytes : Buffer.concat(this.#body);
    this.#body = [];
    this.#start(body);
  }

  callerLeft(): void {
    this.#abort.abort();
    this.#onCredit?.();
    // A call that never came whole is never handled, only ended.
    if (this.#missingBytes > 0) this.#start(Buffer.alloc(0));
  }

  addCredit(bytes: number): void {
    this.#creditBytes += bytes;
    if (this.#creditBytes > 0) this.#onCredit?.();
  }

  async #answer(body: Buffer, log: Logger, handler: LinkHandler): Promise<void> {
    if (this.#missingBytes > 0) return;
    const { requestId, method, path, key, headers } = this.#open;
    const context = { requestId, signal: this.#abort.signal, log: log.child({ requestId }) };
    try {
      if (!key) throw new Error('a call without a key context');
      const reply = await handler(context, {
        method,
        path,
        key,
        headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
        body,
      });
      await this.#send(reply);
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      if (error.code === 'internal_error') context.log.error({ err: error.cause ?? error }, 'call failed');
      this.#frames.add({ call: this.#id, fail: toErrorDetail(error) });
    }
  }

  async #send(reply: LinkReply): Promise<void> {
    const headers = Object.entries(reply.headers).map(([name, value]) => ({ name, value }));
    this.#frames.add({ call: this.#id, head: { status: reply.status, headers } });
    if (Buffer.isBuffer(reply.body)) {
      for (let at = 0; at < reply.body.length; at += LINK_SLICE_BYTES) {
        await this.#sendData(reply.body.subarray(at, at + LINK_SLICE_BYTES));
      }
    } else {
      for await (const bytes of reply.body) await this.#sendData(bytes);
    }
    this.#frames.add({ call: this.#id, end: true });
  }

  #sendData(bytes: Buffer): Promise<void> | undefined {
    if (this.#abort.signal.aborted) return;
    this.#creditBytes -= bytes.length;
    this.#frames.add({ call: this.#id, data: bytes }, bytes.length);
    if (this.#creditBytes > 0) return;
    return new Promise((resolve) => {
      this.#onCredit = () => {
        this.#onCredit = undefined;
        resolve();
      };
    });
  }
}
