import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { CallFrame__Output } from '@gateway/proto/generated/gateway/edge/v1/CallFrame';
import type { CallFrames__Output } from '@gateway/proto/generated/gateway/edge/v1/CallFrames';
import type { ReplyFrame } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrame';
import type { ReplyFrames } from '@gateway/proto/generated/gateway/edge/v1/ReplyFrames';
import type { Quota } from '@gateway/quota';
import { TickBatcher } from '@gateway/rpc';
import { Metadata, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { type LinkHandler, ServerCall } from './server-call';

type Frames = TickBatcher<ReplyFrame, ReplyFrames>;
type RelayStream = ServerDuplexStream<CallFrames__Output, ReplyFrames>;

interface ServedLink {
  readonly stream: RelayStream;
  readonly frames: Frames;
  readonly calls: Map<number, ServerCall>;
}

export interface LinkServerOptions {
  readonly handler: LinkHandler;
  /** Memory for request bodies, reserved until the call ends; absent: the handler accounts for them. */
  readonly bodies?: {
    readonly quota: Quota;
    /** Called for each call that the quota refuses; its body is not read. */
    readonly refuse: LinkHandler;
  };
  readonly log: Logger;
}

/** Smaller bodies don't count against their account: an account with many large calls can still make small ones. */
const SMALL_BODY_BYTES = 16 * 1024;

/** A hold pays for one call: a second call in flight with the same request id would spend the same hold. */
const refuseDuplicate: LinkHandler = async () => {
  throw new GatewayError('invalid_request', { detail: 'a call with this request id is in flight' });
};

/** Serves the calls of a link (`gateway.edge.v1` frames over one bidirectional stream per calling process). */
export class LinkServer {
  readonly #handler: LinkHandler;
  readonly #bodies: LinkServerOptions['bodies'];
  readonly #log: Logger;
  readonly #links = new Set<ServedLink>();
  /** Calls outlive their stream: they are still settled after the caller has disconnected. */
  readonly #running = new Set<ServerCall>();
  readonly #requestIds = new Set<string>();
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(options: LinkServerOptions) {
    this.#handler = options.handler;
    this.#bodies = options.bodies;
    this.#log = options.log;
  }

  /** Handler of the `Relay` RPC. */
  readonly relay = (stream: RelayStream): void => {
    if (this.#draining) {
      stream.emit('error', { code: status.UNAVAILABLE, details: 'stopping' });
      return;
    }
    const frames: Frames = new TickBatcher(stream, (items) => ({ frames: items }));
    const link: ServedLink = { stream, frames, calls: new Map() };
    this.#links.add(link);
    stream.sendMetadata(new Metadata());
    stream.on('data', (message: CallFrames__Output) => {
      for (const frame of message.frames) this.#onFrame(link, frame);
    });
    const lost = () => {
      if (!this.#links.delete(link)) return;
      frames.close();
      for (const call of link.calls.values()) call.cancel();
      stream.end();
      this.#checkIdle();
    };
    stream.on('end', lost);
    stream.on('error', lost);
    stream.on('cancelled', lost);
  };

  get callsInFlight(): number {
    return this.#running.size;
  }

  /**
   * Asks callers to send no more calls. Resolves when the calls in flight have been answered and every caller has
   * half-closed its link, so that none can follow. The caller of `drain` bounds the time.
   */
  async drain(): Promise<void> {
    this.#draining = true;
    for (const { stream } of this.#links) stream.write({ draining: true });
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#checkIdle();
    });
  }

  /** Cancels every link. */
  close(): void {
    for (const { stream } of this.#links) stream.end();
  }

  #onFrame({ calls, frames }: ServedLink, frame: CallFrame__Output): void {
    if (frame.frame === 'open' && frame.open) {
      const { open } = frame;
      const { bodyBytes, requestId } = open;
      const isDuplicate = this.#requestIds.has(requestId);
      const holder = bodyBytes > SMALL_BODY_BYTES ? open.key?.accountId : undefined;
      const isRefused = isDuplicate || this.#bodies?.quota.acquire(holder, bodyBytes) !== undefined;
      const refuse = isDuplicate ? refuseDuplicate : this.#bodies?.refuse;
      const call =
        isRefused && refuse
          ? new ServerCall(frame.call, { ...open, bodyBytes: 0 }, frames, this.#log, refuse)
          : new ServerCall(frame.call, open, frames, this.#log, this.#handler);
      if (!isDuplicate) this.#requestIds.add(requestId);
      calls.set(frame.call, call);
      this.#running.add(call);
      call.finished.then(() => {
        if (!isRefused) this.#bodies?.quota.release(holder, bodyBytes);
        if (!isDuplicate) this.#requestIds.delete(requestId);
        calls.delete(frame.call);
        this.#running.delete(call);
        this.#checkIdle();
      });
      return;
    }
    // A frame that crosses the end of its call on the wire is ignored.
    const call = calls.get(frame.call);
    if (!call) return;
    if (frame.frame === 'body' && frame.body) call.receive(frame.body);
    else if (frame.frame === 'cancel') call.cancel();
    else if (frame.frame === 'bodyEnd') call.endBody();
    else if (frame.frame === 'creditBytes' && frame.creditBytes) call.addCredit(frame.creditBytes);
  }

  #checkIdle(): void {
    if (this.#draining && this.#running.size === 0 && this.#links.size === 0) this.#onIdle?.();
  }
}
