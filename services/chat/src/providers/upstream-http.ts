import http from 'node:http';
import https from 'node:https';
import { ReplyBytes } from './reply-bytes';

export interface UpstreamTimeouts {
  readonly connectMs: number;
  /** From the request's last byte to the reply's first. */
  readonly firstByteMs: number;
  /** Between two pieces of the reply. */
  readonly idleMs: number;
}

export interface UpstreamRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly timeouts: UpstreamTimeouts;
  /**
   * Whether the reply is read after the client has disconnected. Then pauses may exceed `idleMs`: a model with hidden
   * reasoning is silent for long, and only its last event reports the usage. `signal` bounds the wait.
   */
  readonly isAbandoned?: () => boolean;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /**
   * Yields the reply's bytes as they arrive, and empty pieces while there are none. Throws when the connection breaks or stays
   * silent; after the client has disconnected it ends early without throwing.
   */
  readonly body: AsyncIterable<Buffer>;
}

/** Code of the error of a call that was canceled before its provider had received all of it. */
export const NOT_SENT = 'NOT_SENT';

/** After a disconnect: how long to wait for more of what the provider has already sent, and how often. */
const LEAVE_QUIET_MS = 100;
const LEAVE_MAX_WAITS = 20;

const agentOptions = {
  keepAlive: true,
  keepAliveMsecs: 15_000,
  maxFreeSockets: 256,
  scheduling: 'lifo' as const,
};

/**
 * Posts to a provider over persistent connections. Uses Node's own client rather than a faster one because it exposes the
 * socket: when a client disconnects, our side is closed and the bytes already in flight are read, so that the call is billed
 * for exactly what the provider sent.
 */
export class UpstreamHttp {
  readonly #http = new http.Agent(agentOptions);
  readonly #https = new https.Agent(agentOptions);
  readonly #keepAliveMs: number;

  /** @param keepAliveMs silence after which a reply in progress yields an empty piece */
  constructor(keepAliveMs: number) {
    this.#keepAliveMs = keepAliveMs;
  }

  /**
   * A provider may close a persistent connection just when it is used again. Then nothing has been answered, and the call is
   * sent once more on a new connection.
   * @throws the connection's error with its `code`
   */
  async post(request: UpstreamRequest): Promise<UpstreamResponse> {
    const secure = request.url.protocol === 'https:';
    try {
      return await this.#send(request, secure ? this.#https : this.#http);
    } catch (error) {
      if (!(error instanceof StaleConnection) || request.signal.aborted) throw error;
      return this.#send(request, false);
    }
  }

  #send(request: UpstreamRequest, agent: http.Agent | false): Promise<UpstreamResponse> {
    return new Promise((resolve, reject) => {
      const secure = request.url.protocol === 'https:';
      const outgoing = (secure ? https : http).request(request.url, {
        method: 'POST',
        agent,
        headers: { ...request.headers, 'content-length': request.body.length },
      });
      const connectTimer = setTimeout(
        () => outgoing.destroy(codedError('CONNECT_TIMEOUT')),
        request.timeouts.connectMs,
      );
      outgoing.once('socket', (socket) => {
        socket.setNoDelay(true);
        const connected = () => clearTimeout(connectTimer);
        if (!socket.connecting) connected();
        else socket.once(secure ? 'secureConnect' : 'connect', connected);
      });
      const firstByteTimer = setTimeout(
        () => outgoing.destroy(codedError('FIRST_BYTE_TIMEOUT')),
        request.timeouts.firstByteMs,
      );
      let answered = false;
      const leave = () => leaveSocket(outgoing);
      if (request.signal.aborted) leave();
      else request.signal.addEventListener('abort', leave, { once: true });
      const forget = () => {
        clearTimeout(connectTimer);
        clearTimeout(firstByteTimer);
        request.signal.removeEventListener('abort', leave);
      };
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        forget();
        const stale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new StaleConnection('kept connection was closed', { cause: error }) : error);
      });
      // A response that switches protocols ends with neither a response nor an error.
      outgoing.once('close', () => {
        forget();
        if (!answered) reject(new Error('connection closed without a reply'));
      });
      outgoing.once('response', (incoming) => {
        answered = true;
        clearTimeout(firstByteTimer);
        incoming.once('close', forget);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: new ReplyBytes(incoming, {
            idleMs: request.timeouts.idleMs,
            keepAliveMs: this.#keepAliveMs,
            isLeft: () => request.signal.aborted,
            onIdle: () => {
              if (!request.isAbandoned?.()) incoming.destroy(codedError('IDLE_TIMEOUT'));
            },
          }),
        });
      });
      outgoing.end(request.body);
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** Half-closes the connection: the provider notices the disconnect, and what it has sent can still be read. */
function leaveSocket(outgoing: http.ClientRequest): void {
  const { socket } = outgoing;
  if (!socket || socket.connecting || !outgoing.writableFinished) {
    outgoing.destroy(codedError(NOT_SENT));
    return;
  }
  socket.end();
  let waits = 0;
  let bytesRead = socket.bytesRead;
  const look = () => {
    if (socket.bytesRead === bytesRead || ++waits === LEAVE_MAX_WAITS)
      outgoing.destroy(codedError('CLIENT_DISCONNECTED'));
    bytesRead = socket.bytesRead;
  };
  // On a busy process timers fire late, before the data that arrived meanwhile is read.
  const timer = setInterval(() => setImmediate(look), LEAVE_QUIET_MS);
  socket.once('close', () => clearInterval(timer));
}

/** A persistent connection that was closed before it answered anything. */
class StaleConnection extends Error {}

function codedError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
