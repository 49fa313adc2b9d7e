import net, { type AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { stopListening } from './stop-listening';

const PENDING = 20;

test('connections that the kernel has completed are accepted before the listening socket closes', async () => {
  let accepted = 0;
  const server = net.createServer((socket) => {
    accepted += 1;
    socket.on('error', () => undefined).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const outcome = () =>
    new Promise<string>((resolve) => {
      const socket = net.connect(port, '127.0.0.1').resume();
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}`));
      socket.once('end', () => resolve('ended'));
    });
  const pending = Array.from({ length: PENDING }, outcome);
  // The kernel has completed the connections, but the event loop has not run since.
  await new Promise(process.nextTick);
  const closed = new Promise((resolve) => server.once('close', resolve));
  await stopListening(server);
  expect(await outcome()).toBe('ECONNREFUSED');
  expect(new Set(await Promise.all(pending))).toEqual(new Set(['ended']));
  expect(accepted).toBeGreaterThanOrEqual(PENDING);
  await closed;
});
