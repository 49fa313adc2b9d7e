import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the other side answered to one request. */
export interface RecordedReply {
  readonly path: string;
  readonly status: number;
  readonly body: Buffer;
}

export interface RecordingProxy {
  readonly origin: string;
  /** Where requests go; set before the first one comes. */
  target: string;
  /** Orders that arrive from now on are never answered, whatever the other side says. */
  holdsOrders: boolean;
  /** Answers that were held back. */
  readonly held: number;
  /** Of successes, since the last time it was asked. */
  take(): readonly RecordedReply[];
  stop(): Promise<void>;
}

/** Passes requests on as they are, `Host` included, and keeps what is answered to the byte. */
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
      incoming.on('data', (bytes: Buffer) => pieces.push(bytes));
      incoming.on('end', () => {
        if (status === 200) recorded.push({ path: url, status, body: Buffer.concat(pieces) });
        response.end(Buffer.concat(pieces));
      });
      incoming.on('error', () => response.destroy());
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
