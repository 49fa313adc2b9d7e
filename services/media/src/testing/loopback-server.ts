import net from 'node:net';

/** A server that writes the test's exact bytes on each connection. */
export interface LoopbackServer {
  readonly port: number;
  /** Number of connections so far. */
  readonly connections: number;
  readonly openConnections: number;
  stop(): Promise<void>;
}

export async function startLoopback(onConnection: (socket: net.Socket) => void): Promise<LoopbackServer> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  const server = net.createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    get connections() {
      return connections;
    },
    get openConnections() {
      return sockets.size;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
