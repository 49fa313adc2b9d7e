import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HttpClient } from './http-client';

const SILENT_MS = 600;
const IDLE_MS = 100;

/** Sends a piece, is silent for longer than the idle timeout, and sends the last piece. */
const server = http.createServer((_request, response) => {
  response.write('first ');
  setTimeout(() => response.end('last'), SILENT_MS);
});
const upstream = new HttpClient();
let url: URL;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterAll(() => {
  upstream.close();
  server.close();
});

async function read(isAbandoned: boolean): Promise<string> {
  const { body } = await upstream.send({
    method: 'POST',
    connection: 'persistent',
    onAbort: 'finish',
    keepAliveMs: 50,
    url,
    headers: {},
    body: Buffer.from('{}'),
    signal: new AbortController().signal,
    timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: IDLE_MS },
    ignoresIdle: () => isAbandoned,
  });
  let text = '';
  for await (const piece of body) text += piece.toString();
  return text;
}

test('a reply that is silent for the idle timeout breaks off while its caller waits', async () => {
  await expect(read(false)).rejects.toMatchObject({ code: 'IDLE_TIMEOUT' });
});

test('an abandoned reply may be silent for longer than the idle timeout, because its usage comes last', async () => {
  expect(await read(true)).toBe('first last');
});
