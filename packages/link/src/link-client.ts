import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { CallFrame } from '@gateway/proto/generated/gateway/edge/v1/CallFrame';
import type { CallFrames } from '@gateway/proto/generated/gateway/edge/v1/CallFrames';
import type { CallOpen } from '@gateway/proto/generated/gateway/edge/v1/CallOpen';
import type { ReplyFrame__Output } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrame';
import type { ReplyFrames__Output } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrames';
import {
  fromErrorDetail,
  InstancePool,
  type PeerInstances,
  PersistentStream,
  type PoolMember,
  TickBatcher,
} from '@gateway/rpc';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { BodyQueue } from './body-queue';
import { noteLargeBuffer } from './collect-large-buffers';
import { LINK_REPLY_WINDOW_BYTES, LINK_REQUEST_WINDOW_BYTES, LINK_SLICE_BYTES } from './link-limits';

type Frames = TickBatcher<CallFrame, CallFrames>;
type RelayStream = ClientDuplexStream<CallFrames, ReplyFrames__Output>;

/** Receives the reply of one call: `head`, then `data` any number of times, then `end`; or `fail` at any time. */
export interface ReplySink {
  head(status: number, headers: Readonly<Record<string, string>>): void;
  data(bytes: Buffer): void;
  end(): void;
  fail(error: GatewayError): void;
  /** The service accepts more of a streamed body. */
  onBodyDrain?(): void;
}

/** A call in flight. */
export interface LinkedCall {
  /** Cancels the call: the sink receives nothing more. */
  cancel(): void;
  /** Returns credit for bytes that the sink has forwarded, so that the service sends as many more. */
  consumed(bytes: number): void;
  /** Sends the next chunk of a streamed body. Returns false when no more is accepted until `onBodyDrain`. */
  sendBody(bytes: Buffer): boolean;
  /** Marks a streamed body as complete. */
  endBody(): void;
}

export interface LinkRequest {
  /** With `bodyStreams`, `body` is empty and the caller sends the body with `sendBody`. */
  readonly open: CallOpen;
  readonly body: Buffer;
}

const CONNECT_WAIT_MS = 2_000;
/** For calls in flight on an instance that is no longer listed. It drains itself within 10 minutes if it is to stop. */
const RETIRE_TIMEOUT_MS = 3_600_000;

/** The link to the instance that had the call was lost: it may have answered the call, or go on with it. */
export class LinkLost extends GatewayError {
  constructor() {
    super('internal_error', { cause: new Error('link lost') });
  }
}

/** Carries calls to one instance of a service over one stream. */
class Link implements PoolMember {
  readonly #calls = new Map<number, OpenCall>();
  readonly #bodies = new BodyQueue();
  readonly #log: Logger;
  readonly #stream: PersistentStream<ReplyFrames__Output, RelayStream>;
  #frames: Frames | undefined;
  #relay: RelayStream | undefined;
  #callsWaiting = 0;
  #draining = false;
  #onEnd: (() => void) | undefined;
  #nextCall = 1;

  constructor(name: string, relay: () => RelayStream, log: Logger, onUp: () => void) {
    this.#log = log;
    this.#stream = new PersistentStream<ReplyFrames__Output, RelayStream>({
      name,
      log,
      open: relay,
      onUp: (stream) => {
        this.#draining = false;
        this.#relay = stream;
        const frames: Frames = new TickBatcher(
          stream,
          (items) => ({ frames: items }),
          () => this.#bodies.sendInto(frames),
        );
        this.#frames = frames;
        onUp();
      },
      onDown: () => this.#onDown(),
      onMessage: (message) => this.#onMessage(message),
    });
  }

  get usable(): boolean {
    return this.#stream.up && !this.#draining;
  }

  get callsWaiting(): number {
    return this.#callsWaiting;
  }

  call(request: LinkRequest, sink: ReplySink): LinkedCall {
    const frames = this.#frames;
    if (!frames) throw new Error('link is not up');
    const call = this.#nextCall;
    // Ids are uint32 on the wire and may wrap: far fewer are in use at once.
    this.#nextCall = this.#nextCall === 0xffff_ffff ? 1 : this.#nextCall + 1;
    frames.add({ call, open: { ...request.open, bodyBytes: request.body.length } });
    this.#bodies.add(call, request.body);
    this.#bodies.sendInto(frames);
    this.#calls.set(call, {
      sink,
      isWaiting: true,
      unreportedBytes: 0,
      bodyCreditBytes: LINK_REQUEST_WINDOW_BYTES,
    });
    this.#callsWaiting += 1;
    return {
      cancel: () => {
        if (!this.#forget(call)) return;
        frames.add({ call, cancel: true });
        this.#endIfDrained();
      },
      consumed: (bytes) => {
        const open = this.#calls.get(call);
        if (!open) return;
        open.unreportedBytes += bytes;
        if (open.unreportedBytes < LINK_REPLY_WINDOW_BYTES / 2) return;
        frames.add({ call, creditBytes: open.unreportedBytes });
        open.unreportedBytes = 0;
      },
      sendBody: (bytes) => this.#sendBody(frames, call, bytes),
      endBody: () => {
        if (this.#calls.has(call)) frames.add({ call, bodyEnd: true });
      },
    };
  }

  retire(): Promise<void> {
    if (!this.#stream.up) {
      this.close();
      return Promise.resolve();
    }
    const deadline = setTimeout(() => this.close(), RETIRE_TIMEOUT_MS).unref();
    return new Promise<void>((resolve) => {
      this.#onEnd = resolve;
      this.#draining = true;
      this.#stream.retire();
      this.#endIfDrained();
    }).finally(() => clearTimeout(deadline));
  }

  close(): void {
    this.#stream.close();
  }

  #sendBody(frames: Frames, call: number, bytes: Buffer): boolean {
    const open = this.#calls.get(call);
    if (!open) return false;
    for (let at = 0; at < bytes.length; at += LINK_SLICE_BYTES) {
      const body = bytes.subarray(at, at + LINK_SLICE_BYTES);
      frames.add({ call, body }, body.length);
    }
    open.bodyCreditBytes -= bytes.length;
    noteLargeBuffer(bytes.length);
    return open.bodyCreditBytes > 0;
  }

  #onMessage(message: ReplyFrames__Output): void {
    if (message.draining) this.#draining = true;
    for (const frame of message.frames) this.#onFrame(frame);
    this.#endIfDrained();
  }

  /** Half-closes the stream after the last call, so that the draining instance knows that no call will follow. */
  #endIfDrained(): void {
    if (!this.#draining || this.#calls.size > 0 || !this.#relay) return;
    this.#frames?.close();
    this.#relay.end();
    this.#relay = undefined;
  }

  #forget(call: number): boolean {
    this.#bodies.drop(call);
    const open = this.#calls.get(call);
    if (open) this.#answered(open);
    return this.#calls.delete(call);
  }

  #answered(open: OpenCall): void {
    if (!open.isWaiting) return;
    open.isWaiting = false;
    this.#callsWaiting -= 1;
  }

  #onFrame(frame: ReplyFrame__Output): void {
    // Frames of a cancelled call may still arrive for a moment.
    const open = this.#calls.get(frame.call);
    if (!open) return;
    try {
      this.#dispatch(frame, open);
    } catch (error) {
      // A defect in one sink must not break the link for all other calls.
      this.#log.error({ err: error }, 'a reply sink failed');
      if (this.#forget(frame.call)) this.#frames?.add({ call: frame.call, cancel: true });
    }
  }

  #dispatch(frame: ReplyFrame__Output, open: OpenCall): void {
    const { sink } = open;
    if (frame.frame === 'data' && frame.data) {
      sink.data(frame.data);
      noteLargeBuffer(frame.data.length);
    } else if (frame.frame === 'head' && frame.head) {
      const { status, headers } = frame.head;
      this.#answered(open);
      sink.head(status, Object.fromEntries(headers.map(({ name, value }) => [name, value])));
    } else if (frame.frame === 'end') {
      this.#forget(frame.call);
      sink.end();
    } else if (frame.frame === 'fail' && frame.fail) {
      this.#forget(frame.call);
      sink.fail(fromErrorDetail(frame.fail));
    } else if (frame.frame === 'creditBytes' && frame.creditBytes) {
      const waited = open.bodyCreditBytes <= 0;
      open.bodyCreditBytes += frame.creditBytes;
      if (waited && open.bodyCreditBytes > 0) sink.onBodyDrain?.();
    }
  }

  #onDown(): void {
    this.#frames?.close();
    this.#frames = undefined;
    this.#relay = undefined;
    this.#bodies.clear();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.#callsWaiting = 0;
    for (const { sink } of calls) sink.fail(new LinkLost());
    this.#onEnd?.();
  }
}

interface OpenCall {
  readonly sink: ReplySink;
  /** Its reply has not begun. */
  isWaiting: boolean;
  unreportedBytes: number;
  bodyCreditBytes: number;
}

/** A client of a service that answers calls over links. */
export interface RelayClient {
  Relay(): RelayStream;
  close(): void;
}

/** Links to every instance of a service, among which calls are spread. */
export class LinkPool {
  readonly #links: InstancePool<RelayClient, Link>;
  readonly #waiting = new Set<() => void>();

  constructor(options: { name: string; instances: PeerInstances<RelayClient>; log: Logger }) {
    const { name, instances, log } = options;
    this.#links = new InstancePool<RelayClient, Link>({
      name,
      log,
      instances,
      connect: (client, onUp) =>
        new Link(
          name,
          () => client.Relay(),
          log,
          () => {
            onUp();
            for (const wake of this.#waiting) wake();
          },
        ),
    });
  }

  get up(): boolean {
    return this.usableLinks > 0;
  }

  get usableLinks(): number {
    return this.#links.usableCount;
  }

  /** Sends the call; waits briefly for a link if none is up, then throws `internal_error`. */
  async call(request: LinkRequest, sink: ReplySink): Promise<LinkedCall> {
    const link = this.#links.pick() ?? (await this.#waitForLink());
    if (!link) throw new GatewayError('internal_error', { cause: new Error('no instance is reachable') });
    return link.call(request, sink);
  }

  /** Also closes the clients. */
  close(): void {
    this.#links.close();
  }

  #waitForLink(): Promise<Link | undefined> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve(this.#links.pick());
      };
      const timer = setTimeout(done, CONNECT_WAIT_MS);
      this.#waiting.add(done);
    });
  }
}
