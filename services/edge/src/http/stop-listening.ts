import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** After this time the socket is closed in any case. */
const TIMEOUT_MS = 1_000;
/** Turns of the event loop after a failed attempt: each accepts one connection, so they empty the queue. */
const MIN_TURNS = 3;
/** The number of turns varies, so that attempts do not stay in step with a client. */
const EXTRA_TURNS = 4;

/** Functions that Node does not export. */
interface TcpHandle {
  listen(backlog: number): number;
  /** 0 once the connection is established, whether or not its `connect` event has been emitted. */
  getpeername(out: object): number;
}

/**
 * Closes the listening socket without a reset for any client. The kernel completes connections before the process
 * accepts them, and resets those it still queues when the socket is closed; a client that retries only refused
 * connections loses its call. The queue is therefore limited to two connections and filled with two of this process: while
 * nothing is accepted, it can't contain connections of clients. A client that connects in this moment gets no answer to its
 * SYN, retransmits it, and is then refused.
 *
 * This holds for connections over loopback and, up to one round trip, over a network.
 */
export async function stopListening(server: Server): Promise<void> {
  const handle = handleOf(server);
  handle?.listen(1);
  const endMs = performance.now() + TIMEOUT_MS;
  for (let attempt = 0; handle && server.listening && performance.now() < endMs; attempt++) {
    const { address: host, port } = server.address() as AddressInfo;
    const fillers = [fill(host, port), fill(host, port)];
    // `connect` is called on the next tick; the event loop does not turn before the check below.
    await new Promise(process.nextTick);
    const isFull = fillers.every((socket) => handleOf(socket)?.getpeername({}) === 0);
    if (isFull) close(server);
    for (const socket of fillers) socket.destroy();
    for (let turns = MIN_TURNS + (attempt % EXTRA_TURNS); turns > 0; turns--) await nextTurn();
  }
  if (server.listening) close(server);
}

/** `close` of the HTTP server would also destroy idle connections, even with unread requests in their receive buffers. */
function close(server: Server): void {
  net.Server.prototype.close.call(server);
}

function fill(host: string, port: number): Socket {
  const socket = net.connect({ host, port });
  socket.on('error', () => undefined);
  return socket;
}

function handleOf(owner: Server | Socket): TcpHandle | undefined {
  const { _handle: handle } = owner as unknown as { _handle?: Partial<TcpHandle> | null };
  return handle?.listen && handle.getpeername ? (handle as TcpHandle) : undefined;
}
