import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { CallOpen__Output } from '@gateway/proto/generated/gateway/edge/v1/CallOpen';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { ReplyFrame } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrame';
import type { ReplyFrames } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrames';
import { ClientDisconnected, type RequestContext, type TickBatcher, toErrorDetail } from '@gateway/rpc';
import { LINK_REPLY_WINDOW_BYTES, LINK_SLICE_BYTES } from './link-limits';
import { StreamedBody } from './streamed-body';

/** A timer of more than 2^31-1 ms fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface LinkCall {
  readonly method: string;
  readonly path: string;
  /** The query string as it arrived, for paths that use one; otherwise empty or absent. */
  readonly query?: string;
  readonly key: KeyContext__Output;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when the body is streamed. */
  readonly body: Buffer;
  /** A streamed body, for a single reader. The sender pauses while it is not read. */
  readonly bodyStream?: AsyncIterable<Buffer>;
}

export interface LinkReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An iterable is a stream. It should not throw: errors in a stream are written in the format's own frames. */
  readonly body: Buffer | AsyncIterable<Buffer>;
}

export type LinkHandler = (context: RequestContext, call: LinkCall) => Promise<LinkReply>;

type Frames = TickBatcher<ReplyFrame, ReplyFrames>;

class CallContext implements RequestContext {
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly #parentLog: Logger;
  #log: Logger | undefined;

  constructor(requestId: string, signal: AbortSignal, parentLog: Logger) {
    this.requestId = requestId;
    this.signal = signal;
    this.#parentLog = parentLog;
  }

  /** Created on first use: most calls log nothing, and a child logger is expensive. */
  get log(): Logger {
    this.#log ??= this.#parentLog.child({ requestId: this.requestId });
    return this.#log;
  }
}

/**
 * One call on the serving side: collects its body or streams it to the handler, runs the handler, and sends the reply as
 * the caller's credit allows.
 */
export class ServerCall {
  readonly finished: Promise<void>;
  readonly #id: number;
  readonly #open: CallOpen__Output;
  readonly #frames: Frames;
  readonly #abort = new AbortController();
  readonly #deadline: NodeJS.Timeout;
  #body: Buffer[] = [];
  #missingBytes: number;
  #start!: (body: Buffer) => void;
  readonly #bodyStream: StreamedBody | undefined;
  #creditBytes = LINK_REPLY_WINDOW_BYTES;
  #onCredit: (() => void) | undefined;

  constructor(id: number, open: CallOpen__Output, frames: Frames, log: Logger, handler: LinkHandler) {
    this.#id = id;
    this.#open = open;
    this.#frames = frames;
    this.#missingBytes = open.bodyBytes;
    this.#deadline = setTimeout(() => this.#giveUp(bodyTimeout()), Math.min(open.timeoutMs, MAX_TIMER_MS));
    const body = new Promise<Buffer>((resolve) => {
      this.#start = resolve;
    });
    if (this.#missingBytes === 0) this.#start(Buffer.alloc(0));
    if (open.bodyStreams) {
      this.#bodyStream = new StreamedBody((creditBytes) => frames.add({ call: id, creditBytes }));
    }
    this.finished = body
      .then((bytes) => this.#answer(bytes, log, handler))
      .finally(() => {
        clearTimeout(this.#deadline);
        this.#bodyStream?.close();
      });
  }

  receive(bytes: Buffer): void {
    this.#bodyStream?.push(bytes);
    if (this.#missingBytes <= 0) return;
    this.#body.push(withoutLargeParent(bytes));
    this.#missingBytes -= bytes.length;
    if (this.#missingBytes > 0) return;
    const body = this.#body.length === 1 ? this.#body[0]! : Buffer.concat(this.#body);
    this.#body = [];
    this.#start(body);
  }

  /** The streamed body is complete. */
  endBody(): void {
    this.#bodyStream?.end();
  }

  cancel(): void {
    this.#giveUp(new ClientDisconnected());
  }

  /** @param reason error for the reader of an incomplete body */
  #giveUp(reason: Error): void {
    clearTimeout(this.#deadline);
    this.#abort.abort('client disconnected or deadline passed');
    this.#bodyStream?.close(reason);
    this.#onCredit?.();
    // Ends the call; its handler does not run, because the body is incomplete.
    if (this.#missingBytes > 0) this.#start(Buffer.alloc(0));
  }

  addCredit(bytes: number): void {
    this.#creditBytes += bytes;
    if (this.#creditBytes > 0) this.#onCredit?.();
  }

  async #answer(body: Buffer, log: Logger, handler: LinkHandler): Promise<void> {
    if (this.#missingBytes > 0) return;
    const { requestId, method, path, query, key, headers } = this.#open;
    const context = new CallContext(requestId, this.#abort.signal, log);
    try {
      if (!key) throw new Error('a call without a key context');
      const reply = await handler(context, {
        method,
        path,
        query,
        key,
        headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
        body,
        ...(this.#bodyStream && { bodyStream: this.#bodyStream }),
      });
      await this.#send(reply);
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      const isDefect = error.code === 'internal_error' && !(error.cause instanceof ClientDisconnected);
      if (isDefect) context.log.error({ err: error.cause ?? error }, 'call failed');
      this.#frames.add({ call: this.#id, fail: toErrorDetail(error) });
    }
  }

  async #send(reply: LinkReply): Promise<void> {
    // From here on the inactivity timeouts of both sides apply: a healthy stream has no deadline.
    clearTimeout(this.#deadline);
    const headers = Object.entries(reply.headers).map(([name, value]) => ({ name, value }));
    this.#frames.add({ call: this.#id, head: { status: reply.status, headers } });
    if (Buffer.isBuffer(reply.body)) await this.#sendSliced(reply.body);
    else {
      for await (const bytes of reply.body) {
        const sent = this.#sendSliced(bytes);
        if (sent) await sent;
      }
    }
    this.#frames.add({ call: this.#id, end: true });
  }

  /** Returns undefined when there is nothing to wait for: a promise per streamed chunk would be measurable. */
  #sendSliced(bytes: Buffer): Promise<void> | undefined {
    return bytes.length <= LINK_SLICE_BYTES ? this.#sendData(bytes) : this.#sendSlices(bytes);
  }

  async #sendSlices(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += LINK_SLICE_BYTES) {
      await this.#sendData(bytes.subarray(at, at + LINK_SLICE_BYTES));
    }
  }

  #sendData(bytes: Buffer): Promise<void> | undefined {
    if (this.#abort.signal.aborted) return;
    this.#creditBytes -= bytes.length;
    this.#frames.add({ call: this.#id, data: bytes }, bytes.length, true);
    if (this.#creditBytes > 0) return;
    return new Promise((resolve) => {
      this.#onCredit = () => {
        this.#onCredit = undefined;
        resolve();
      };
    });
  }
}

/** Returns the error for a client that sends its body too slowly: it is still connected and receives a response. */
function bodyTimeout(): GatewayError {
  return new GatewayError('invalid_request', { detail: 'the request body did not arrive in time' });
}

/** Copies a chunk that is a view of a much larger receive buffer, which would otherwise be retained for the whole call. */
function withoutLargeParent(bytes: Buffer): Buffer {
  return bytes.length * 4 < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes;
}
