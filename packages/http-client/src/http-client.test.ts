import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { HttpClient } from './http-client';

const SILENT_MS = 600;
const IDLE_MS = 100;

/**
 * Replies to `/` with a chunk and, after a silence longer than the idle timeout, the last chunk. Replies to `/upload` when it
 * has read the whole body.
 */
const server = http.createServer((request, response) => {
  request.resume();
  if (request.url === '/upload') {
    request.on('end', () => response.end());
    return;
  }
  response.write('first ');
  setTimeout(() => response.end('last'), SILENT_MS);
});
const upstream = new HttpClient();
let url: URL;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterEach(() => {
  jest.restoreAllMocks();
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

test('continues an abandoned reply beyond the idle timeout, because its usage comes last', async () => {
  expect(await read(true)).toBe('first last');
});

test('a streamed upload leaves no listeners on its request after each piece', async () => {
  const created = jest.spyOn(http, 'request');
  const listeners: number[] = [];
  const piece = Buffer.alloc(1024 * 1024);
  const pieces = 12;
  async function* read() {
    const outgoing = created.mock.results[0]?.value as http.ClientRequest;
    for (let index = 0; index < pieces; index++) {
      const counts = outgoing.eventNames().map((name) => outgoing.listenerCount(name));
      listeners.push(counts.reduce((sum, count) => sum + count, 0));
      yield piece;
    }
  }
  const { status } = await upstream.send({
    method: 'POST',
    connection: 'own',
    onAbort: 'close',
    url: new URL('/upload', url),
    headers: {},
    body: { bytes: pieces * piece.length, read },
    signal: new AbortController().signal,
    timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
  });
  expect(status).toBe(200);
  expect(listeners).toEqual(Array(pieces).fill(listeners[0]));
});

describe('a request is reported as closed once', () => {
  /** Sends requests one after the other, and returns how often each was reported, and its reply or error. */
  async function closesOf(port: number, requests: number): Promise<unknown[]> {
    const client = new HttpClient();
    const results: unknown[] = [];
    for (let request = 0; request < requests; request++) {
      let closes = 0;
      let text = '';
      try {
        const { body } = await client.send({
          method: 'POST',
          connection: 'persistent',
          onAbort: 'finish',
          url: new URL(`http://127.0.0.1:${port}/`),
          headers: {},
          body: Buffer.from('{}'),
          signal: new AbortController().signal,
          timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
          onClose: () => {
            closes++;
          },
        });
        for await (const piece of body) text += piece.toString();
      } catch (error) {
        text = String((error as NodeJS.ErrnoException).code);
      }
      await new Promise((resolve) => setImmediate(resolve));
      results.push([closes, text]);
    }
    client.close();
    return results;
  }

  /** A server whose `onRequest` gets the raw connection and the number of the request on it. */
  async function serve(onRequest: (socket: net.Socket, request: number) => void) {
    const raw = net.createServer((socket) => {
      let requests = 0;
      socket.on('error', () => {});
      socket.on('data', () => onRequest(socket, requests++));
    });
    await new Promise<void>((done) => raw.listen(0, '127.0.0.1', done));
    return { port: (raw.address() as AddressInfo).port, close: () => raw.close() };
  }

  const REPLY = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

  test('when its reply arrives at once, before the caller has seen the head', async () => {
    const { port, close } = await serve((socket) => socket.write(REPLY));
    expect(await closesOf(port, 3)).toEqual([
      [1, 'ok'],
      [1, 'ok'],
      [1, 'ok'],
    ]);
    close();
  });

  test('when it was repeated, because its kept connection had been closed', async () => {
    const { port, close } = await serve((socket, request) => {
      if (request === 0) socket.write(REPLY);
      else socket.destroy();
    });
    expect(await closesOf(port, 2)).toEqual([
      [1, 'ok'],
      [1, 'ok'],
    ]);
    close();
  });

  test('when its connection fails', async () => {
    const { port, close } = await serve((socket) => socket.resetAndDestroy());
    expect(await closesOf(port, 1)).toEqual([[1, 'ECONNRESET']]);
    close();
  });
});

test('a reply without a length whose connection is reset is broken, after the bytes that have arrived', async () => {
  let reset = () => {};
  const raw = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\npart'));
    reset = () => socket.resetAndDestroy();
  });
  await new Promise<void>((done) => raw.listen(0, '127.0.0.1', done));
  const client = new HttpClient();
  const { body } = await client.send({
    ...{ method: 'POST', connection: 'persistent', onAbort: 'finish', headers: {}, body: Buffer.from('{}') },
    url: new URL(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/`),
    signal: new AbortController().signal,
    timeouts: { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 },
  });
  const pieces = body[Symbol.asyncIterator]();
  expect(String((await pieces.next()).value)).toBe('part');
  reset();
  await expect(pieces.next()).rejects.toMatchObject({ code: 'ECONNRESET' });
  client.close();
  raw.close();
});

test('a request with a proxy goes through it, and its connection is kept for the next one', async () => {
  const passed: string[] = [];
  const proxy = http.createServer((request, response) => {
    passed.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.end('by the proxy'));
  });
  let connections = 0;
  proxy.on('connection', () => {
    connections++;
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const client = new HttpClient();
  for (let request = 0; request < 2; request++) {
    const { body } = await client.send({
      method: 'POST',
      connection: 'persistent',
      onAbort: 'finish',
      url: new URL('http://provider.invalid/v1/chat'),
      proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      headers: {},
      body: Buffer.from('{}'),
      signal: new AbortController().signal,
      timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
    });
    let text = '';
    for await (const piece of body) text += piece.toString();
    expect(text).toBe('by the proxy');
  }
  client.close();
  proxy.close();
  expect(passed).toEqual(Array(2).fill('POST http://provider.invalid/v1/chat'));
  expect(connections).toBe(1);
});

describe('a host that is refused', () => {
  const refused = (host: string) => host === '127.0.0.1' || host === '::1';

  async function codeOf(target: string, proxy?: string): Promise<unknown> {
    const client = new HttpClient(refused);
    let closes = 0;
    try {
      await client.send({
        method: 'POST',
        connection: 'persistent',
        onAbort: 'finish',
        url: new URL(target),
        proxy,
        headers: {},
        body: Buffer.from('{}'),
        signal: new AbortController().signal,
        timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
        onClose: () => {
          closes++;
        },
      });
      return undefined;
    } catch (error) {
      return [(error as NodeJS.ErrnoException).code, closes];
    } finally {
      client.close();
    }
  }

  test.each([
    ['as an address', () => url.href, undefined],
    ['as a name that resolves to it', () => `http://localhost:${url.port}/`, undefined],
    ['as the address of a proxy', () => 'http://provider.invalid/', () => url.origin],
    [
      'as the name of a proxy that resolves to it',
      () => 'http://provider.invalid/',
      () => `http://localhost:${url.port}`,
    ],
  ])('receives nothing, %s', async (_how, target, proxy) => {
    const requests = jest.fn();
    server.on('request', requests);
    expect(await codeOf(target(), proxy?.())).toEqual(['ADDRESS_REFUSED', 1]);
    server.off('request', requests);
    expect(requests).not.toHaveBeenCalled();
  });
});
