import { createServer } from 'node:net';

/** Returns a free port on 127.0.0.1: the preferred one if it is free. */
export async function freeLoopbackPort(preferred?: number): Promise<number> {
  if (preferred !== undefined) {
    const port = await tryPort(preferred).catch(() => undefined);
    if (port !== undefined) return port;
  }
  return tryPort(0);
}

/** A port that nobody else gets until it is released. */
export interface HeldPort {
  readonly port: number;
  release(): Promise<void>;
}

/** Holds a port on 127.0.0.1, the preferred one if it is free, and ends the connections that arrive meanwhile. */
export async function holdLoopbackPort(preferred?: number): Promise<HeldPort> {
  const server = createServer((socket) => socket.destroy());
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  await listen(preferred ?? 0).catch((error) => {
    if (preferred === undefined) throw error;
    return listen(0);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    release: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function tryPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port'));
        else resolve(address.port);
      });
    });
  });
}
