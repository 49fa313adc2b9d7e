import type { Dispatcher } from 'undici';
import type { UpstreamReply, UpstreamRequest } from '../domain/upstream';
import { ReplyBody } from './reply-body';
import { RequestError } from './request-error';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** One request from its start to the last byte of its reply, with a timeout on every wait. */
export class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly reply: Promise<UpstreamReply>;
  readonly #request: UpstreamRequest;
  readonly #onOver: () => void;
  readonly #totalTimer: NodeJS.Timeout | undefined;
  #resolve!: (reply: UpstreamReply) => void;
  #reject!: (error: RequestError) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ReplyBody | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  /** @param onOver called once, when its reply is complete or it has failed */
  constructor(request: UpstreamRequest, onOver: () => void) {
    this.#request = request;
    this.#onOver = onOver;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal, timeouts } = request;
    if (timeouts.totalMs !== undefined) {
      this.#totalTimer = setTimeout(() => this.#fail(coded('TOTAL_TIMEOUT')), timeouts.totalMs);
    }
    this.#wait(timeouts.connectMs, 'CONNECT_TIMEOUT');
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The connection is established, and writing is next. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) {
      controller.abort(coded('GIVEN_UP'));
      return;
    }
    this.#controller = controller;
    if (this.#request.body) this.onBodySent();
    else this.onRequestSent();
  }

  onBodySent(): void {
    if (!this.#body) this.#wait(this.#request.timeouts.idleMs, 'SEND_TIMEOUT');
  }

  onRequestSent(): void {
    if (!this.#body) this.#wait(this.#request.timeouts.firstByteMs, 'FIRST_BYTE_TIMEOUT');
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#over) return;
    const body = new ReplyBody({
      maxBytes: this.#request.maxReplyBytes,
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      fail: (cause) => this.#fail(cause),
      onProgress: () => this.#wait(this.#request.timeouts.idleMs, 'IDLE_TIMEOUT'),
    });
    this.#body = body;
    this.#wait(this.#request.timeouts.idleMs, 'IDLE_TIMEOUT');
    this.#resolve({ status, headers: singleHeaders(headers), body, json: () => body.json() });
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#body?.push(bytes);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#finish();
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  readonly #onAbort = () => this.#fail(coded('ABORTED'));

  /** Before the reply and in the middle of it. */
  #fail(cause: unknown): void {
    if (this.#over) return;
    this.#finish();
    const error = new RequestError(cause, this.#controller !== undefined);
    this.#reject(error);
    this.#body?.fail(error);
    this.#controller?.abort(error);
  }

  #wait(timeoutMs: number, code: string): void {
    clearTimeout(this.#timer);
    if (!this.#over) this.#timer = setTimeout(() => this.#fail(coded(code)), timeoutMs);
  }

  #finish(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#totalTimer);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    this.#onOver();
  }
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function singleHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
