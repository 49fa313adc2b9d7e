import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { toLoggedError } from './logged-error';

/** Returns Node's error for an invalid HTTP reply. */
async function parseErrorOf(reply: string): Promise<Error> {
  const server = createServer((socket) => socket.on('error', () => {}).end(reply)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = http.get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  const [error] = (await once(request, 'error').catch((thrown) => [thrown])) as [Error];
  server.close();
  return error;
}

test('does not log bytes that a provider sent with a parse error', async () => {
  const error = await parseErrorOf('HTTP/1.1 200 OK\r\nbad header: x\r\n\r\na canary');
  expect(error).toHaveProperty('rawPacket');
  const logged = toLoggedError(error);
  expect(logged).toMatchObject({ code: expect.stringMatching(/^HPE_/), message: expect.any(String) });
  expect(logged).not.toHaveProperty('rawPacket');
});

test('logs a value that is not an error unchanged', () => {
  expect(toLoggedError(undefined)).toBeUndefined();
});
