import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';

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
  /** Aborted when the caller left. */
  readonly signal: AbortSignal;
  readonly timeouts: UpstreamTimeouts;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /**
   * The reply's bytes as they come. Throws when the connection breaks or goes silent; after the caller left
   * it ends, early, without throwing.
   */
  readonly body: AsyncIterable<Buffer>;
}

/** After the caller left: how long to read what the provider had already sent. */
const LEAVE_MS = 100;

const agentOptions = {
  keepAlive: true,
  keepAliveMsecs: 15_000,
  maxFreeSockets: 256,
  scheduling: 'lifo' as const,
};

/**
 * Posts to a provider over kept-alive connections. Node's own client rather than a faster one, because it
 * hands out the socket: when a caller leaves, our side of it is closed and what was already on its way is
 * read, so that the bill is exactly what the provider sent.
 */
export class UpstreamHttp {
  readonly #http = new http.Agent(agentOptions);
  readonly #https = new https.Agent(agentOptions);

  /** @throws the connection's error, its `code` telling which */
  post(request: UpstreamRequest): Promise<UpstreamResponse> {
    return new Promise((resolve, reject) => {
      const secure = request.url.protocol === 'https:';
      const outgoing = (secure ? https : http).request(request.url, {
        method: 'POST',
        agent: secure ? this.#https : this.#http,
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
      const leave = () => leaveSocket(outgoing);
      if (request.signal.aborted) leave();
      else request.signal.addEventListener('abort', leave, { once: true });
      const forget = () => {
        clearTimeout(connectTimer);
        clearTimeout(firstByteTimer);
        request.signal.removeEventListener('abort', leave);
      };
      outgoing.once('error', (error) => {
        forget();
        reject(error);
      });
      outgoing.once('response', (incoming) => {
        clearTimeout(firstByteTimer);
        incoming.once('close', forget);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: readBody(incoming, request),
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

/** Half-closes: the provider sees us go, and we still read what it has sent. */
function leaveSocket(outgoing: http.ClientRequest): void {
  const { socket } = outgoing;
  if (!socket || socket.connecting || !outgoing.writableFinished) {
    outgoing.destroy(codedError('CALLER_LEFT'));
    return;
  }
  socket.end();
  const timer = setTimeout(() => outgoing.destroy(codedError('CALLER_LEFT')), LEAVE_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** The idle time runs only while we wait for the provider, not while a slow caller keeps us from reading. */
async function* readBody(
  incoming: IncomingMessage,
  { signal, timeouts }: UpstreamRequest,
): AsyncIterable<Buffer> {
  let waiting = true;
  const idleTimer = setTimeout(() => {
    if (waiting) incoming.destroy(codedError('IDLE_TIMEOUT'));
  }, timeouts.idleMs);
  try {
    for await (const bytes of incoming as AsyncIterable<Buffer>) {
      waiting = false;
      yield bytes;
      waiting = true;
      idleTimer.refresh();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(idleTimer);
  }
}

function codedError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
