import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string as it is; anything else as JSON. */
  readonly body: unknown;
}

/** A server that answers by path and keeps what it received; any other path is answered with 404. */
export class CloudServer {
  readonly #server = http.createServer((request, response) => this.#answer(request, response));
  readonly #answers = new Map<string, Answer>();
  readonly received: ReceivedRequest[] = [];

  async start(): Promise<this> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param path without the query */
  answers(path: string, answer: Answer): void {
    this.#answers.set(path, answer);
  }

  receivedAt(path: string): ReceivedRequest[] {
    return this.received.filter(({ url }) => url.split('?')[0] === path);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request) text += piece;
    const { method = '', url = '', headers } = request;
    this.received.push({ method, url, headers, body: text });
    const { status, headers: own, body } = this.#answers.get(url.split('?')[0]!) ?? { status: 404, body: {} };
    response
      .writeHead(status ?? 200, { 'content-type': 'application/json', ...own })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}
