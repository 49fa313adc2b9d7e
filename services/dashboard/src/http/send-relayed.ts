import { GatewayError, toErrorFrame } from '@gateway/errors';
import type { LinkedCall, ReplySink } from '@gateway/link';
import type { Response } from 'express';
import type { RelayedCall } from '../routes/endpoint';
import type { FormBody } from './form-body';

const PASSED_HEADER =
  /^(content-type|content-length|x-ratelimit-[\w-]+|x-gateway-[\w-]+|x-accel-buffering)$/i;
/** A reader who takes nothing for so long is gone. */
const STALL_TIMEOUT_MS = 60_000;

/**
 * Copies the reply of a relayed call as it comes. Rejects, with nothing written, when it fails before it begins.
 * @param form the call's body, where that is passed on as it comes
 */
export function sendRelayed(
  response: Response,
  { carrier, request }: RelayedCall,
  form?: FormBody,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const reply = new RelayedReply(response, form, resolve, reject);
    carrier.call(request, reply).then(reply.begun, (error) => reply.fail(GatewayError.from(error)));
  });
}

class RelayedReply implements ReplySink {
  readonly #response: Response;
  readonly #form: FormBody | undefined;
  readonly #resolve: () => void;
  readonly #reject: (error: GatewayError) => void;
  #call: LinkedCall | undefined;
  #undrainedBytes = 0;
  #stallTimer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    response: Response,
    form: FormBody | undefined,
    resolve: () => void,
    reject: (error: GatewayError) => void,
  ) {
    this.#response = response;
    this.#form = form;
    this.#resolve = resolve;
    this.#reject = reject;
    response.once('close', this.#onClose);
    if (response.destroyed) this.#onClose();
  }

  readonly begun = (call: LinkedCall): void => {
    this.#call = call;
    if (this.#isOver) call.cancel();
    else this.#form?.sendTo(call);
  };

  onBodyDrain(): void {
    if (!this.#isOver) this.#form?.goOn();
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isOver) return;
    // Its answer is there: nobody takes what is left of the body.
    this.#form?.drop();
    this.#response.status(status);
    for (const [name, value] of Object.entries(headers)) {
      if (PASSED_HEADER.test(name)) this.#response.setHeader(name, value);
    }
    this.#response.flushHeaders();
  }

  data(bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#response.write(bytes)) {
      this.#call?.consumed(bytes.length);
      return;
    }
    if (this.#undrainedBytes === 0) {
      this.#response.once('drain', this.#onDrain);
      this.#stallTimer = setTimeout(() => this.#response.destroy(), STALL_TIMEOUT_MS);
    }
    this.#undrainedBytes += bytes.length;
  }

  end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#response.end();
    this.#resolve();
  }

  fail(error: GatewayError): void {
    if (this.#isOver) return;
    this.#finish();
    if (!this.#response.headersSent) {
      this.#reject(error);
      return;
    }
    // Half an answer must not look like a whole one.
    const isStream = String(this.#response.getHeader('content-type')).startsWith('text/event-stream');
    if (isStream) this.#response.end(toErrorFrame(error, 'data'));
    else this.#response.destroy();
    this.#resolve();
  }

  readonly #onDrain = (): void => {
    clearTimeout(this.#stallTimer);
    const bytes = this.#undrainedBytes;
    this.#undrainedBytes = 0;
    this.#call?.consumed(bytes);
  };

  readonly #onClose = (): void => {
    if (this.#isOver) return;
    this.#finish();
    this.#call?.cancel();
    this.#resolve();
  };

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#stallTimer);
    this.#response.off('close', this.#onClose);
    this.#form?.drop();
  }
}
