import net from 'node:net';
import { httpReply } from './provider-replies';
import { WIRE_REPLIES, type WireName } from './wire-replies';

/** A call as the provider received it. */
export interface ProviderCall {
  readonly head: string;
  readonly body: string;
  /** The raw socket: the gateway reads the bytes that are written to it. */
  readonly socket: net.Socket;
}

export type Misbehavior = (call: ProviderCall) => void;

/** A provider whose behavior a test sets per call. It answers other calls successfully in each format. */
export interface FaultProvider {
  /** Settings of chat that use it as the provider of each format. */
  readonly settings: Readonly<Record<`${'OPENAI' | 'ANTHROPIC' | 'GEMINI'}_BASE_URL`, string>>;
  /** Returns a text for a prompt; each call that contains it gets this behavior. */
  prompt(misbehaviour: Misbehavior): string;
  /** Number of connections that the gateway keeps open. */
  readonly connections: number;
  /** Number of calls received. */
  readonly calls: number;
  stop(): Promise<void>;
}

const MARK = /\[\[fault (\d+)\]\]/;

export async function startFaultProvider(): Promise<FaultProvider> {
  const misbehaviours: Misbehavior[] = [];
  const sockets = new Set<net.Socket>();
  let calls = 0;
  const onCall = (call: ProviderCall) => {
    calls += 1;
    const mark = MARK.exec(call.body)?.[1];
    const misbehaviour = mark === undefined ? undefined : misbehaviours[Number(mark)];
    if (misbehaviour) misbehaviour(call);
    else call.socket.write(httpReply(200, WIRE_REPLIES[wireOf(call)].whole));
  };
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The gateway may reset the connection.
    socket.on('error', () => {});
    readCalls(socket, onCall);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return {
    settings: {
      OPENAI_BASE_URL: `${origin}/v1`,
      ANTHROPIC_BASE_URL: origin,
      GEMINI_BASE_URL: origin,
    },
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

function wireOf({ head }: ProviderCall): WireName {
  const path = head.split(' ', 2)[1] ?? '';
  if (path.startsWith('/v1/messages')) return 'anthropic';
  if (path.startsWith('/v1/responses')) return 'responses';
  return path.startsWith('/v1beta/') ? 'gemini' : 'openai';
}

/** Parses sequential requests with Content-Length, the only kind that the gateway sends. */
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
