import { randomInt } from 'node:crypto';
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

/** Below the ports that Linux gives to outgoing connections, one of which could take a port after its release. */
const HELD_PORTS = { from: 20_000, to: 32_767 };
const HOLD_ATTEMPTS = 50;

/** Holds a port on 127.0.0.1, the preferred one if it is free, and ends the connections that arrive meanwhile. */
export async function holdLoopbackPort(preferred?: number): Promise<HeldPort> {
  for (let attempt = 0; ; attempt++) {
    const port =
      attempt === 0 && preferred !== undefined ? preferred : randomInt(HELD_PORTS.from, HELD_PORTS.to + 1);
    try {
      return await hold(port);
    } catch (error) {
      if (attempt === HOLD_ATTEMPTS) throw error;
    }
  }
}

function hold(port: number): Promise<HeldPort> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve({ port, release: () => new Promise((released) => server.close(() => released())) }),
    );
  });
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
