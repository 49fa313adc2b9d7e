import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { CallOpen__Output } from '@gateway/proto/generated/gateway/edge/v1/CallOpen';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { ReplyFrame } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrame';
import type { ReplyFrames } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrames';
import { ClientDisconnected, type RequestContext, type TickBatcher, toErrorDetail } from '@gateway/rpc';
import { LINK_SLICE_BYTES, LINK_WINDOW_BYTES } from './link-limits';
import { StreamedBody } from './streamed-body';

/** A longer timer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface LinkCall {
  readonly method: string;
  readonly path: string;
  /** As it came, where the path has a use for it; else empty or absent. */
  readonly query?: string;
  readonly key: KeyContext__Output;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when the body streams. */
  readonly body: Buffer;
  /** A body that is not here yet: to be taken as it comes, by one reader. What is not taken is not sent. */
  readonly bodyStream?: AsyncIterable<Buffer>;
}

export interface LinkReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An iterable is a stream; errors in its middle are the format's to frame, so it should not throw. */
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

  /** Made when first asked for: most calls log nothing, and a child logger is not cheap. */
  get log(): Logger {
    this.#log ??= this.#parentLog.child({ requestId: this.requestId });
    return this.#log;
  }
}

/**
 * One call on the answering side: gathers its body or hands it on as it comes, runs the handler, sends the reply as
 * credit allows.
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
  #creditBytes = LINK_WINDOW_BYTES;
  #onCredit: (() => void) | undefined;

  constructor(id: number, open: CallOpen__Output, frames: Frames, log: Logger, handler: LinkHandler) {
    this.#id = id;
    this.#open = open;
    this.#frames = frames;
    this.#missingBytes = open.bodyBytes;
    this.#deadline = setTimeout(() => this.#giveUp(tooLate()), Math.min(open.timeoutMs, MAX_TIMER_MS));
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
    this.#body.push(ownBytes(bytes));
    this.#missingBytes -= bytes.length;
    if (this.#missingBytes > 0) return;
    const body = this.#body.length === 1 ? this.#body[0]! : Buffer.concat(this.#body);
    this.#body = [];
    this.#start(body);
  }

  /** A streamed body came whole. */
  endBody(): void {
    this.#bodyStream?.end();
  }

  callerLeft(): void {
    this.#giveUp(new ClientDisconnected());
  }

  /** @param why the rest of its body does not come */
  #giveUp(why: Error): void {
    clearTimeout(this.#deadline);
    this.#abort.abort('caller left');
    this.#bodyStream?.close(why);
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
    // From here on the two sides' own limits on pauses apply: a healthy stream may take its time.
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

  /** Undefined when nothing need be waited for: a promise per streamed chunk would be felt. */
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

/** Who sends a body for so long is there, and told. */
function tooLate(): GatewayError {
  return new GatewayError('invalid_request', { detail: 'the body is cut off' });
}

/** A view of a much larger receive buffer would keep all of it for as long as the call lives. */
function ownBytes(bytes: Buffer): Buffer {
  return bytes.length * 4 < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes;
}
