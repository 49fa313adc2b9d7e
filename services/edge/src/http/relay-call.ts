import type { ServerResponse } from 'node:http';
import { GatewayError, type StreamErrors, toErrorFrame } from '@gateway/errors';
import { type LinkedCall, type LinkRequest, type ReplySink, UNRECORDED } from '@gateway/link';
import { ClientDisconnected } from '@gateway/rpc';
import type { Exchange } from './exchange';
import { publicReplyHeaders } from './reply-headers';
import type { StreamedUpload } from './send-body';
import { endAfterLinger } from './write-error';

/** The part of a link pool that is used here. */
export interface CallLink {
  call(request: LinkRequest, sink: ReplySink): Promise<LinkedCall>;
}

export interface RelayOptions {
  /** Until the head of the reply. A reply that has started is bounded by the answering service. */
  readonly timeoutMs: number;
  /** A client that reads nothing for this long while data waits is disconnected. */
  readonly stallTimeoutMs: number;
  /** The answering service has the body: its memory can be released. */
  readonly onTaken: () => void;
  /** No instance of the answering service is reachable: it does not know the call. */
  readonly onUnsent?: (error: GatewayError) => void;
  readonly streamErrors: StreamErrors;
  /** A body that is read only as fast as the answering service accepts it. */
  readonly body?: StreamedUpload;
}

/**
 * Sends the call to the answering service and copies its reply to the client. Resolves when the response has ended;
 * rejects, with nothing written, when it failed before it began.
 */
export async function relayCall(
  exchange: Exchange,
  link: CallLink,
  request: LinkRequest,
  options: RelayOptions,
): Promise<void> {
  const reply = new RelayedReply(exchange, options);
  try {
    reply.call = await link.call(request, reply);
  } catch (thrown) {
    const error = GatewayError.from(thrown);
    options.onUnsent?.(error);
    reply.fail(error);
  }
  return reply.over;
}

class RelayedReply implements ReplySink {
  readonly over: Promise<void>;
  readonly #exchange: Exchange;
  readonly #response: ServerResponse;
  readonly #onTaken: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #stallTimeoutMs: number;
  readonly #streamErrors: StreamErrors;
  readonly #body: StreamedUpload | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #call: LinkedCall | undefined;
  #resolve!: () => void;
  #reject!: (error: Error) => void;
  #isOver = false;
  #isEventStream = false;
  #undrainedBytes = 0;
  #lastBytes: Buffer | undefined;

  constructor(exchange: Exchange, options: RelayOptions) {
    this.#exchange = exchange;
    this.#response = exchange.response;
    this.#onTaken = options.onTaken;
    this.#stallTimeoutMs = options.stallTimeoutMs;
    this.#streamErrors = options.streamErrors;
    this.#body = options.body;
    this.over = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(this.#onTimeout, options.timeoutMs);
    this.#response.on('close', this.#onClose);
    if (this.#response.destroyed) this.#onClose();
  }

  set call(call: LinkedCall) {
    this.#call = call;
    // The client may have disconnected while the call waited for a link.
    if (this.#isOver) call.cancel();
    else this.#body?.sendTo(call, (error) => this.#giveUp(error));
  }

  onBodyDrain(): void {
    this.#body?.resume();
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isOver) return;
    if (this.#response.headersSent) {
      // The parser rejected the connection, and the request has been answered.
      this.#onClose();
      return;
    }
    clearTimeout(this.#timer);
    // The reply has started: the rest of the body is not read.
    this.#body?.stop();
    this.#onTaken();
    if (UNRECORDED in headers) this.#exchange.isRecorded = false;
    const allowed = publicReplyHeaders(headers);
    this.#isEventStream = allowed['content-type']?.startsWith('text/event-stream') ?? false;
    try {
      this.#response.writeHead(status, allowed);
    } catch (cause) {
      this.#call?.cancel();
      this.fail(new GatewayError('internal_error', { cause }));
      return;
    }
    // The first byte of a stream may take long; otherwise the head is sent with the first bytes.
    if (this.#isEventStream) process.nextTick(this.#flushHead);
  }

  data(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#lastBytes = bytes;
    if (this.#response.write(bytes)) {
      this.#call?.consumed(bytes.length);
      return;
    }
    // Credit is returned only when the client has read the bytes, so that a slow client can't fill the memory.
    if (this.#undrainedBytes === 0) {
      this.#response.once('drain', this.#onDrain);
      this.#startStallTimer();
    }
    this.#undrainedBytes += bytes.length;
  }

  end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#endResponse();
    this.#resolve();
  }

  fail(error: GatewayError): void {
    if (this.#isOver) return;
    this.#finish();
    this.#onTaken();
    if (this.#response.headersSent) {
      this.#truncate();
      this.#resolve();
    } else {
      this.#reject(error);
    }
  }

  /**
   * Ends a reply that broke after it had started: a stream ends with an error event if it is between two events; anything
   * else must not look complete, so the connection is cut.
   */
  #truncate(): void {
    const error = new GatewayError('upstream_failed');
    this.#exchange.errorCode = error.code;
    const betweenEvents = this.#lastBytes === undefined || endsEvent(this.#lastBytes);
    if (this.#isEventStream && betweenEvents) {
      const { requestId, startedMs } = this.#exchange;
      const createdAtMs = Date.now() - (performance.now() - startedMs);
      this.#endResponse(toErrorFrame(error, this.#streamErrors, { requestId, createdAtMs }));
    } else {
      this.#response.destroy();
    }
  }

  #endResponse(finalFrame?: string): void {
    if (this.#body?.unfinished && !this.#response.destroyed) {
      if (finalFrame !== undefined) this.#response.write(finalFrame);
      endAfterLinger(this.#exchange);
    } else {
      this.#response.end(finalFrame);
    }
    if (this.#response.writableFinished) return;
    this.#startStallTimer();
    this.#response.once('close', () => clearTimeout(this.#stallTimer));
  }

  #startStallTimer(): void {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = setTimeout(() => this.#response.destroy(), this.#stallTimeoutMs);
  }

  readonly #flushHead = () => {
    if (this.#lastBytes === undefined && !this.#isOver) this.#response.flushHeaders();
  };

  readonly #onDrain = () => {
    const bytes = this.#undrainedBytes;
    this.#undrainedBytes = 0;
    clearTimeout(this.#stallTimer);
    this.#call?.consumed(bytes);
  };

  readonly #onTimeout = () =>
    this.#giveUp(new GatewayError('internal_error', { cause: new Error('the call took too long') }));

  #giveUp(error: GatewayError): void {
    this.#call?.cancel();
    this.fail(error);
  }

  readonly #onClose = () => {
    if (this.#isOver) return;
    this.#finish();
    this.#call?.cancel();
    this.#onTaken();
    this.#reject(new ClientDisconnected());
  };

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#stallTimer);
    this.#body?.stop();
    this.#response.off('close', this.#onClose);
  }
}

function endsEvent(bytes: Buffer): boolean {
  return bytes.length >= 2 && bytes[bytes.length - 1] === 0x0a && bytes[bytes.length - 2] === 0x0a;
}
