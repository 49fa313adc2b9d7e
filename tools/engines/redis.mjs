import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findCommand } from './commands.mjs';
import { freePorts } from './processes.mjs';

export const redis = {
  name: 'redis',
  variable: 'REDIS_URL',
  readyTimeoutMs: 15_000,
  stopSteps: [
    ['SIGTERM', 8_000],
    ['SIGKILL', 2_000],
  ],
  missingPackages: () => (findCommand('redis-server') ? [] : ['redis-server']),
  address: ({ port }) => `redis://127.0.0.1:${port}`,
  isReady: ({ port }) => ping(port),

  async prepare({ dir }) {
    const data = join(dir, 'data');
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const [port] = await freePorts(1);
    return { port, data };
  },

  launch({ port, data }) {
    // Without persistence: the gateway must tolerate a Redis that loses its data.
    const settings = { bind: '127.0.0.1', port, dir: data, save: '', appendonly: 'no', loglevel: 'warning' };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return { command: findCommand('redis-server'), args };
  },
};

function ping(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (ok) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => finish(data.toString().startsWith('+PONG')));
    socket.once('error', () => finish(false));
  });
}
