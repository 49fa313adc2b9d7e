import net from 'node:net';
import { COMPLETION, httpReply } from './provider-replies';

/** A call as it reached the provider. */
export interface ProviderCall {
  readonly head: string;
  readonly body: string;
  /** Raw: what is written to it is what the gateway reads. */
  readonly socket: net.Socket;
}

export type Misbehaviour = (call: ProviderCall) => void;

/** A provider that does to a call whatever a test wants. It answers other calls well. */
export interface FaultProvider {
  /** For `<PROVIDER>_BASE_URL`. */
  readonly baseUrl: string;
  /** Words for a prompt: the call that holds them is treated so, each time it comes. */
  prompt(misbehaviour: Misbehaviour): string;
  /** Connections that the gateway keeps open now. */
  readonly connections: number;
  /** Calls that came, whatever became of them. */
  readonly calls: number;
  stop(): Promise<void>;
}

const MARK = /\[\[fault (\d+)\]\]/;

export async function startFaultProvider(): Promise<FaultProvider> {
  const misbehaviours: Misbehaviour[] = [];
  const sockets = new Set<net.Socket>();
  let calls = 0;
  const onCall = (call: ProviderCall) => {
    calls += 1;
    const mark = MARK.exec(call.body)?.[1];
    const misbehaviour = mark === undefined ? undefined : misbehaviours[Number(mark)];
    if (misbehaviour) misbehaviour(call);
    else call.socket.write(httpReply(200, COMPLETION));
  };
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The gateway hangs up as it likes.
    socket.on('error', () => {});
    readCalls(socket, onCall);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/v1`,
    prompt: (misbehaviour) => `[[fault ${misbehaviours.push(misbehaviour) - 1}]]`,
    get connections() {
      return sockets.size;
    },
    get calls() {
      return calls;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Requests with a length, one after the other, which is all that the gateway sends. */
function readCalls(socket: net.Socket, onCall: (call: ProviderCall) => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const head = received.toString('latin1', 0, headEnd);
      const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < end) return;
      const body = received.toString('utf8', headEnd + 4, end);
      received = received.subarray(end);
      onCall({ head, body, socket });
    }
  });
}
