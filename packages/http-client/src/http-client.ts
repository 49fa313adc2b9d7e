import { lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { ReplyBytes } from './reply-bytes';

export interface HttpTimeouts {
  /** Until the connection is established, TLS included. */
  readonly connectMs: number;
  /** From the request's last byte to the reply's head. */
  readonly firstByteMs: number;
  /** Between two pieces, of the request and of the reply. */
  readonly idleMs: number;
  /** From the start to the reply's last byte. */
  readonly totalMs?: number;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: HttpBody;
  readonly signal: AbortSignal;
  /**
   * What an aborted signal does. `close`: ends the call. `finish`: closes our side of the connection, and yields the bytes
   * that are in flight, without an error.
   */
  readonly onAbort: 'close' | 'finish';
  readonly timeouts: HttpTimeouts;
  /**
   * `persistent`: reuses connections. A provider may close one just when it is used again; the request is then sent once more
   * on a new connection, because nothing has been answered. `own`: a new connection, so that nothing is ever sent twice.
   */
  readonly connection: 'persistent' | 'own';
  /** URL of a forward proxy for the request; absent: none. */
  readonly proxy?: string | undefined;
  /** Silence after which the reply yields an empty piece; absent: never. */
  readonly keepAliveMs?: number;
  /** Whether a silent reply is read on regardless of `idleMs`. `signal` bounds the wait. */
  readonly ignoresIdle?: () => boolean;
  /** Whether an unread reply is closed after `idleMs`. */
  readonly needsReader?: boolean;
  /** The connection is established: from here on the request may have arrived. */
  readonly onConnected?: () => void;
  /** The connection is closed or free again, or the request has failed. Called once, possibly before `send` resolves. */
  readonly onClose?: () => void;
}

/** A body in memory, or one of known length that is read while it is sent. */
export type HttpBody = Buffer | { readonly bytes: number; read(): AsyncIterable<Buffer> };

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Yields the bytes as they arrive. Throws when the connection breaks or stays silent. */
  readonly body: AsyncIterable<Buffer>;
}

/** Code of the error of a request that was aborted before its server had received all of it. */
export const NOT_SENT = 'NOT_SENT';

/** After an abort: how long to wait for more of what the server has already sent, and how often. */
const DISCONNECT_QUIET_MS = 100;
const LEAVE_MAX_WAITS = 20;

/** Of persistent connections. */
const keptOptions = {
  keepAlive: true,
  keepAliveMsecs: 15_000,
  maxFreeSockets: 256,
  scheduling: 'lifo' as const,
};

/**
 * Sends requests to providers. Follows no redirects. Uses Node's own client rather than a faster one because it exposes the
 * socket: when a client disconnects, our side is closed and the bytes already in flight are read, so that the call is billed
 * for exactly what the provider sent.
 */
export class HttpClient {
  readonly #refusesHost: (host: string) => boolean;
  /** Of all agents. */
  readonly #agentOptions: { readonly lookup?: LookupFunction };
  readonly #direct: Agents;
  /** By the URL of the proxy. */
  readonly #proxied = new Map<string, Agents>();
  readonly #inFlight = new Set<http.ClientRequest>();

  /** @param refusesHost whether nothing may be sent to an address or a name; undefined: all are allowed */
  constructor(refusesHost?: (host: string) => boolean) {
    this.#refusesHost = refusesHost ?? (() => false);
    this.#agentOptions = refusesHost ? { lookup: allowedLookup(refusesHost) } : {};
    this.#direct = agentsOf({ ...keptOptions, ...this.#agentOptions });
  }

  /** @throws the connection's error with its `code`; `ADDRESS_REFUSED` for a host that is refused or resolves to one that is */
  async send(request: HttpRequest): Promise<HttpResponse> {
    try {
      // Addresses are not looked up.
      if (this.#refusesHost(request.url.hostname)) throw codedError('ADDRESS_REFUSED');
      if (request.proxy !== undefined)
        await this.#checkProxy(new URL(request.proxy).hostname, request.timeouts);
    } catch (error) {
      request.onClose?.();
      throw error;
    }
    const once = () => this.#send(request, this.#ownAgent(request));
    if (request.connection === 'own') return once();
    try {
      return await this.#send(request, this.#keptAgent(request));
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return once();
    }
  }

  #keptAgent({ url, proxy }: HttpRequest): http.Agent {
    if (proxy === undefined) return agentFor(url, this.#direct);
    let agents = this.#proxied.get(proxy);
    if (!agents) {
      agents = agentsOf({ ...keptOptions, ...this.#agentOptions, proxyEnv: envOf(proxy) });
      this.#proxied.set(proxy, agents);
    }
    return agentFor(url, agents);
  }

  /** Looks up the name of a proxy for each request: Node's agents connect to a proxy without the `lookup` of their options. */
  async #checkProxy(hostname: string, { connectMs }: HttpTimeouts): Promise<void> {
    const { lookup: allowed } = this.#agentOptions;
    if (!allowed) return;
    if (this.#refusesHost(hostname)) throw codedError('ADDRESS_REFUSED');
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(codedError('CONNECT_TIMEOUT')), connectMs);
      allowed(hostname.replace(/^\[|\]$/g, ''), { all: true }, (error) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Returns the agent of a request with a connection of its own. */
  #ownAgent({ url, proxy }: HttpRequest): http.Agent {
    return agentFor(
      url,
      agentsOf({ ...this.#agentOptions, ...(proxy !== undefined && { proxyEnv: envOf(proxy) }) }),
    );
  }

  #send(request: HttpRequest, agent: http.Agent): Promise<HttpResponse> {
    const { body, signal, timeouts } = request;
    return new Promise((resolve, reject) => {
      const secure = request.url.protocol === 'https:';
      const bytes = Buffer.isBuffer(body) ? body.length : body?.bytes;
      const outgoing = (secure ? https : http).request(request.url, {
        method: request.method,
        agent,
        headers: { ...request.headers, ...(bytes !== undefined && { 'content-length': bytes }) },
      });
      this.#inFlight.add(outgoing);
      let timer: NodeJS.Timeout | undefined;
      const wait = (timeoutMs: number, code: string) => {
        clearTimeout(timer);
        timer = setTimeout(() => outgoing.destroy(codedError(code)), timeoutMs);
      };
      const { totalMs } = timeouts;
      const totalTimer =
        totalMs === undefined
          ? undefined
          : setTimeout(() => outgoing.destroy(codedError('TOTAL_TIMEOUT')), totalMs);
      let answered = false;
      let reply: ReplyBytes | undefined;
      const onAbort = () => {
        if (request.onAbort === 'finish') halfCloseSocket(outgoing);
        else outgoing.destroy(codedError('ABORTED'));
      };
      const forget = (isRepeated = false) => {
        clearTimeout(timer);
        clearTimeout(totalTimer);
        signal.removeEventListener('abort', onAbort);
        if (this.#inFlight.delete(outgoing) && !isRepeated) request.onClose?.();
      };

      wait(timeouts.connectMs, 'CONNECT_TIMEOUT');
      outgoing.once('socket', (socket) => {
        socket.setNoDelay(true);
        const connected = () => {
          request.onConnected?.();
          if (answered || outgoing.destroyed) return;
          if (outgoing.writableFinished) return;
          const sending = () => wait(timeouts.idleMs, 'SEND_TIMEOUT');
          sending();
          if (body && !Buffer.isBuffer(body)) {
            writeBody(outgoing, body.read(), sending).catch((error: Error) => outgoing.destroy(error));
          }
        };
        if (!socket.connecting) connected();
        else socket.once(secure ? 'secureConnect' : 'connect', connected);
      });
      outgoing.once('finish', () => {
        if (!answered && !outgoing.destroyed) wait(timeouts.firstByteMs, 'FIRST_BYTE_TIMEOUT');
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        const isRepeated = isStale && !answered && !signal.aborted;
        forget(isRepeated);
        // Node ends a reply without a length cleanly even if its connection is reset.
        reply?.fail(error);
        reject(isRepeated ? new StaleConnection('kept connection was closed', { cause: error }) : error);
      });
      // A response that switches protocols ends with neither a response nor an error.
      outgoing.once('close', () => {
        forget();
        if (!answered) reject(new Error('connection closed without a reply'));
      });
      outgoing.once('response', (incoming) => {
        answered = true;
        clearTimeout(timer);
        incoming.once('close', () => forget());
        reply = new ReplyBytes(incoming, {
          idleMs: timeouts.idleMs,
          keepAliveMs: request.keepAliveMs ?? timeouts.idleMs,
          needsReader: request.needsReader ?? false,
          isClientGone: () => request.onAbort === 'finish' && signal.aborted,
          onIdle: () => {
            if (!request.ignoresIdle?.()) incoming.destroy(codedError('IDLE_TIMEOUT'));
          },
        });
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: reply });
      });
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      if (!body) outgoing.end();
      else if (Buffer.isBuffer(body)) outgoing.end(body);
    });
  }

  /** Ends requests in flight, and idle connections. */
  close(): void {
    for (const outgoing of this.#inFlight) outgoing.destroy();
    for (const agents of [this.#direct, ...this.#proxied.values()]) {
      agents.http.destroy();
      agents.https.destroy();
    }
  }
}

interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

const agentsOf = (options: http.AgentOptions): Agents => ({
  http: new http.Agent(options),
  https: new https.Agent(options),
});

const agentFor = ({ protocol }: URL, agents: Agents): http.Agent =>
  protocol === 'https:' ? agents.https : agents.http;

/**
 * Resolves names as Node does, and fails for a name with an address that is refused. Checked for each connection, because what a
 * name resolves to may change.
 */
const allowedLookup =
  (refusesHost: (host: string) => boolean): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (!error && addresses.some(refusesHost)) callback(codedError('ADDRESS_REFUSED'), [], 0);
      else callback(error, found, family);
    });

/** Node reads a proxy from variables of an environment, here one of its own. */
const envOf = (proxy: string) => ({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy });

/** Reads the next piece when the previous one was accepted. @param onProgress called for each piece */
async function writeBody(
  outgoing: http.ClientRequest,
  pieces: AsyncIterable<Buffer>,
  onProgress: () => void,
): Promise<void> {
  for await (const piece of pieces) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(piece)) await drained(outgoing);
    if (outgoing.destroyed) return;
    onProgress();
  }
  outgoing.end();
}

/** Resolves when the request accepts more bytes or is closed. Leaves no listener, because an upload calls it for each piece. */
function drained(outgoing: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    outgoing.on('drain', done).on('close', done);
  });
}

/** Half-closes the connection: the server notices the disconnect, and what it has sent can still be read. */
function halfCloseSocket(outgoing: http.ClientRequest): void {
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
  const timer = setInterval(() => setImmediate(look), DISCONNECT_QUIET_MS);
  socket.once('close', () => clearInterval(timer));
}

/** A persistent connection that was closed before it answered anything: the request is sent once more. */
class StaleConnection extends Error {}

function codedError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
