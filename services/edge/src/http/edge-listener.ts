import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import { ClientDisconnected } from '@gateway/rpc';
import { v7 as newRequestId } from 'uuid';
import { arrivedOverTls, type IsTrustedProxy } from './client-address';
import { destroyAfterLinger, fromParserError, writeRawError } from './client-error';
import { createExchange, type Exchange } from './exchange';
import { writeError } from './write-error';

export interface EdgeListenerOptions {
  readonly isTrustedProxy: IsTrustedProxy;
  /** Seconds for which browsers use TLS only, after a response that arrived over TLS; 0: not announced. */
  readonly hstsMaxAgeSeconds: number;
  readonly onBegin: () => void;
  readonly onEnd: (exchange: Exchange) => void;
  readonly onUnparsable: () => void;
  /** Bytes that are not a request were answered. */
  readonly onRawError: (answered: UnparsableRequest) => void;
  /** An API key or a login token was refused. */
  readonly onCredentialsRefused: (exchange: Exchange, error: GatewayError) => void;
  readonly log: Logger;
}

/** An answer to bytes that are not a request. */
export interface UnparsableRequest {
  readonly requestId: string;
  /** The peer's. */
  readonly clientAddress: string;
  readonly error: GatewayError;
}

/** Common handling of every request: its id, its error exit and its end; also of bytes that are not a request. */
export class EdgeListener {
  readonly #options: EdgeListenerOptions;
  /** The latest exchange of each connection. */
  readonly #exchanges = new WeakMap<Duplex, Exchange>();
  readonly #connections = new Set<Socket>();
  readonly #refused = new WeakSet<Duplex>();
  /** Set when the process stops. */
  #idleBeforeCloseMs: number | undefined;

  constructor(options: EdgeListenerOptions) {
    this.#options = options;
  }

  /**
   * From now on every response has `Connection: close`, and a connection is closed once it has been idle for `idleMs`. A
   * connection whose last response promised to stay open is not closed earlier: the client may already have sent its next
   * request, which a closed socket would answer with a reset.
   */
  beginClosing(idleMs: number): void {
    this.#idleBeforeCloseMs = idleMs;
    for (const socket of this.#connections) {
      const response = this.#exchanges.get(socket)?.response;
      if (response && !response.writableFinished) response.shouldKeepAlive = false;
      else this.#closeWhenIdle(socket, idleMs);
    }
  }

  readonly onConnection = (socket: Socket): void => {
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
    if (this.#idleBeforeCloseMs !== undefined) this.#closeWhenIdle(socket, this.#idleBeforeCloseMs);
  };

  /** Closes the connection unless the client sends something within `idleMs`. */
  #closeWhenIdle(socket: Socket, idleMs: number): void {
    const { bytesRead } = socket;
    const close = () => {
      if (socket.bytesRead === bytesRead) socket.destroySoon();
    };
    // Timers run before sockets are read; a request waiting in the receive buffer counts as sent.
    const timer = setTimeout(() => setImmediate(close), idleMs);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Starts an exchange: sets the request id on its response and counts its end. */
  begin(request: IncomingMessage, response: ServerResponse): Exchange {
    const { isTrustedProxy, hstsMaxAgeSeconds } = this.#options;
    const exchange = createExchange(newRequestId(), request, response, isTrustedProxy);
    this.#exchanges.set(request.socket, exchange);
    response.setHeader('x-request-id', exchange.requestId);
    response.setHeader('request-id', exchange.requestId);
    response.setHeader('x-content-type-options', 'nosniff');
    if (hstsMaxAgeSeconds > 0 && arrivedOverTls(request, isTrustedProxy)) {
      response.setHeader('strict-transport-security', `max-age=${hstsMaxAgeSeconds}`);
    }
    if (this.#idleBeforeCloseMs !== undefined) response.shouldKeepAlive = false;
    this.#options.onBegin();
    response.once('close', () => this.#onClosed(exchange));
    return exchange;
  }

  /** The only exit for errors: responds with the error of the table, or cuts a response that has started. */
  fail(exchange: Exchange, thrown: unknown): void {
    const { response } = exchange;
    if (response.destroyed || thrown instanceof ClientDisconnected) {
      response.destroy();
      return;
    }
    const error = GatewayError.from(thrown);
    if (error.row.status >= 500) this.#logFailure(exchange, error);
    if (error.row.status === 401) this.#options.onCredentialsRefused(exchange, error);
    writeError(exchange, error);
  }

  /** Responds with an error and closes the connection. */
  refuse(exchange: Exchange, thrown: unknown): void {
    this.#refused.add(exchange.request.socket);
    exchange.response.shouldKeepAlive = false;
    this.fail(exchange, thrown);
  }

  hasRefused(socket: Duplex): boolean {
    return this.#refused.has(socket);
  }

  /** Handles a connection that Node's parser or timers rejected. */
  readonly onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    this.#options.onUnparsable();
    const exchange = this.#exchanges.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (!exchange || (exchange.request.complete && exchange.response.writableFinished)) {
      this.#answerRaw(socket, fromParserError(error));
    } else if (exchange.request.complete) {
      // Invalid bytes after a complete request: its response is still due, and the last one.
      exchange.response.shouldKeepAlive = false;
      exchange.response.once('finish', () => destroyAfterLinger(socket));
    } else {
      this.#failUnparsable(exchange, fromParserError(error), socket);
    }
  };

  readonly onConnect = (_request: IncomingMessage, socket: Duplex): void => {
    if (this.#refused.has(socket)) return;
    this.#options.onUnparsable();
    socket.on('error', () => socket.destroy());
    this.#answerRaw(socket, new GatewayError('not_found'));
  };

  #answerRaw(socket: Duplex, error: GatewayError): void {
    const requestId = newRequestId();
    const { remoteAddress: clientAddress = '' } = socket as Socket;
    writeRawError(socket, requestId, error);
    this.#options.onRawError({ requestId, clientAddress, error });
  }

  /** Ends an unfinished exchange whose connection is unusable: its response is the last one. */
  #failUnparsable(exchange: Exchange, error: GatewayError, socket: Duplex): void {
    const { response } = exchange;
    if (!response.headersSent) {
      response.shouldKeepAlive = false;
      this.fail(exchange, error);
    } else if (exchange.errorCode === '') {
      // A truncated success must not look complete.
      socket.destroy();
      return;
    }
    response.end();
    destroyAfterLinger(socket);
  }

  #onClosed(exchange: Exchange): void {
    const { onEnd, log } = this.#options;
    onEnd(exchange);
    const { socket } = exchange.request;
    if (this.#idleBeforeCloseMs !== undefined && !socket.destroyed) {
      this.#closeWhenIdle(socket, this.#idleBeforeCloseMs);
    }
    if (!log.isLevelEnabled('debug')) return;
    const { requestId, request, response, route, errorCode, startedMs } = exchange;
    const durationMs = Math.round(performance.now() - startedMs);
    log.debug(
      { requestId, route, method: request.method, status: response.statusCode, code: errorCode, durationMs },
      'request',
    );
  }

  #logFailure(exchange: Exchange, error: GatewayError): void {
    const { requestId, route, request } = exchange;
    const callerRequestId = request.headers['x-request-id']?.slice(0, 128);
    this.#options.log.warn(
      { requestId, callerRequestId, route, code: error.code, err: error.cause },
      'call failed',
    );
  }
}
