import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** The response to one request. */
export interface RecordedReply {
  readonly path: string;
  readonly status: number;
  readonly body: Buffer;
}

export interface RecordingProxy {
  readonly origin: string;
  /** Destination of requests; set before the first request. */
  target: string;
  /** Withholds the responses to orders that arrive while it is set. */
  holdsOrders: boolean;
  /** Number of withheld responses. */
  readonly held: number;
  /** Returns the successful responses since the previous call. */
  take(): readonly RecordedReply[];
  stop(): Promise<void>;
}

/** Forwards requests unchanged, including `Host`, and records the exact responses. */
export async function startRecordingProxy(): Promise<RecordingProxy> {
  let recorded: RecordedReply[] = [];
  const proxy = { target: '', holdsOrders: false, held: 0 };
  const server = http.createServer((request, response) => {
    const { method, headers, url = '/' } = request;
    const isHeld = proxy.holdsOrders && method === 'POST';
    const outgoing = http.request(`${proxy.target}${url}`, { method, headers, agent: false }, (incoming) => {
      const { statusCode: status = 502 } = incoming;
      if (isHeld) {
        proxy.held++;
        incoming.resume();
        return;
      }
      const pieces: Buffer[] = [];
      response.writeHead(status, incoming.headers);
      incoming.on('data', (bytes: Buffer) => {
        pieces.push(bytes);
        response.write(bytes);
      });
      incoming.on('end', () => {
        if (status === 200) recorded.push({ path: url, status, body: Buffer.concat(pieces) });
        response.end();
      });
      // What has arrived is forwarded before the connection is cut.
      incoming.on('error', () => response.socket?.destroySoon());
    });
    outgoing.on('error', () => request.socket.destroy());
    request.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = recorded;
      recorded = [];
      return taken;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
