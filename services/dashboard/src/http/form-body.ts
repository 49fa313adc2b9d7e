import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/errors';
import type { LinkedCall } from '@gateway/link';

const FORM_TYPE = /^multipart\/form-data\s*(?:;|$)/i;

/** The type of a form, with its boundary. @throws GatewayError `invalid_request` for any other body */
export function readFormType({ headers }: IncomingMessage): string {
  const type = headers['content-type'] ?? '';
  if (!FORM_TYPE.test(type)) throw invalid('Content-Type is not multipart/form-data');
  if (headers['content-encoding'] !== undefined) throw invalid('compressed bodies are not read');
  return type;
}

/**
 * A form on its way to the service that answers: read no faster than that takes it. How large it may be, and how long
 * it may take, is for edge and for that service to say.
 */
export class FormBody {
  readonly #request: IncomingMessage;
  #call: LinkedCall | undefined;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  sendTo(call: LinkedCall): void {
    this.#call = call;
    this.#request.on('data', this.#pass).on('end', this.#end);
  }

  /** The service took some. */
  goOn(): void {
    this.#request.resume();
  }

  /** Nobody takes the rest: it is read away, as an answer is lost where the connection is cut in the middle of a body. */
  drop(): void {
    this.#request.off('data', this.#pass).off('end', this.#end).resume();
  }

  readonly #pass = (bytes: Buffer) => {
    if (!this.#call?.sendBody(bytes)) this.#request.pause();
  };

  readonly #end = () => this.#call?.endBody();
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
