import http from 'node:http';
import type net from 'node:net';
import tls from 'node:tls';
import { until } from '@gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { UpstreamRequest } from '../domain/upstream';
import type { UpstreamBody } from '../domain/upstream-body';
import { type LoopbackServer, startLoopback } from '../testing/loopback-server';
import { SELF_SIGNED } from '../testing/self-signed';
import { gather } from '../testing/write-form';
import { UpstreamHttp } from './upstream-http';

const MIB = 1024 * 1024;
const TIMEOUTS = { connectMs: 2_000, firstByteMs: 2_000, idleMs: 2_000 };
const cleanUps: (() => unknown)[] = [];
const servers: LoopbackServer[] = [];
afterEach(async () => {
  const results = await Promise.allSettled(cleanUps.splice(0).map((cleanUp) => cleanUp()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
});

/** A client that must hold no connection when its test is over. */
function client(server?: LoopbackServer, maxRequests?: number) {
  const upstream = new UpstreamHttp({ maxRequests });
  cleanUps.push(async () => {
    upstream.close();
    if (server) await until(() => server.openConnections === 0);
  });
  return upstream;
}

async function loopback(onConnection: (socket: net.Socket) => void) {
  const server = await startLoopback(onConnection);
  servers.push(server);
  return server;
}

interface Parts extends Partial<Omit<UpstreamRequest, 'url'>> {
  readonly protocol?: string;
}

function order(port: number, { protocol = 'http', ...parts }: Parts = {}): UpstreamRequest {
  return {
    method: 'POST',
    url: new URL(`${protocol}://127.0.0.1:${port}/v1/make?a=b`),
    headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
    body: [Buffer.from('{"a":1}')],
    signal: new AbortController().signal,
    timeouts: TIMEOUTS,
    maxReplyBytes: MIB,
    ...parts,
  };
}

const answer = (body: string, head = '') =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${head}\r\n${body}`;

function file(bytes: number, open?: () => AsyncIterable<Buffer>): UpstreamBody[number] {
  const pieces = async function* () {
    for (let at = 0; at < bytes; at += 65_536) yield Buffer.alloc(Math.min(65_536, bytes - at), 'file');
  };
  return { upload: { part: 'image', kind: 'png', bytes, open: open ?? pieces }, as: 'raw' };
}

describe('a request of a provider with a proxy', () => {
  test('is sent to the proxy, with the address of the provider', async () => {
    let head = '';
    const proxy = await loopback((socket) =>
      socket.on('data', (bytes) => {
        head += bytes;
        if (head.endsWith('{"a":1}')) socket.end(answer('{"made":true}'));
      }),
    );
    const request = order(9, { proxy: `http://127.0.0.1:${proxy.port}` });
    const reply = await client(proxy).request({ ...request, url: new URL('http://provider.test/v1/make') });
    expect(await reply.json()).toEqual({ made: true });
    expect(head).toMatch(/^POST http:\/\/provider\.test\/v1\/make HTTP\/1\.1\r\n/);
  });

  test('certainly did not arrive if the proxy is unreachable', async () => {
    const proxy = await loopback(() => {});
    await proxy.stop();
    const request = order(9, { proxy: `http://127.0.0.1:${proxy.port}` });
    await expect(client().request(request)).rejects.toMatchObject({
      mayHaveArrived: false,
      failure: { kind: 'unreachable' },
    });
  });
});

describe('a request', () => {
  test('carries its pieces, with their length, and gives the reply back', async () => {
    let seen:
      | {
          method?: string | undefined;
          url?: string | undefined;
          headers: http.IncomingHttpHeaders;
          body: Buffer;
        }
      | undefined;
    const server = http.createServer(async (request, response) => {
      seen = {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: await gather(request),
      };
      response.writeHead(418, { 'Retry-After': '7', 'set-cookie': ['a', 'b'] }).end('{"made":true}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as net.AddressInfo;
    const body = [Buffer.from('before '), file(3 * MIB), Buffer.from(' after')];
    const reply = await client().request(order(port, { body }));
    expect(reply).toMatchObject({ status: 418, headers: { 'retry-after': '7', 'set-cookie': 'a, b' } });
    expect(await reply.json()).toEqual({ made: true });
    expect(seen).toMatchObject({
      method: 'POST',
      url: '/v1/make?a=b',
      headers: { authorization: 'Bearer key', 'content-length': String(3 * MIB + 13) },
    });
    const expected = Buffer.concat([
      Buffer.from('before '),
      Buffer.alloc(3 * MIB, 'file'),
      Buffer.from(' after'),
    ]);
    expect(seen?.body.equals(expected)).toBe(true);
    expect(seen?.headers['transfer-encoding']).toBeUndefined();
  });

  test('to read shares a connection; each order has one of its own', async () => {
    const server = await loopback((socket) => socket.on('data', () => socket.write(answer('{}'))));
    const upstream = client(server);
    const { body: _, ...read } = order(server.port, { method: 'GET' });
    for (let at = 0; at < 6; at += 1) await (await upstream.request(read)).json();
    // One is free again a moment after its reply was read.
    const shared = server.connections;
    expect(shared).toBeLessThan(3);
    for (let at = 0; at < 3; at += 1) await (await upstream.request(order(server.port))).json();
    expect(server.connections).toBe(shared + 3);
  });

  test('waits for no other’s connection, and is turned away beyond what may be under way', async () => {
    const held: net.Socket[] = [];
    const server = await loopback((socket) => socket.on('data', () => held.push(socket)));
    const upstream = client(server, 300);
    const timeouts = { ...TIMEOUTS, connectMs: 10_000, firstByteMs: 10_000 };
    const replies = Array.from({ length: 300 }, () => upstream.request(order(server.port, { timeouts })));
    await until(() => held.length === 300);
    const refused = await upstream.request(order(server.port)).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      failure: { kind: 'status', status: 429, retryAfterSeconds: 1 },
      mayHaveArrived: false,
    });
    for (const socket of held) socket.end(answer('{}'));
    await Promise.all(replies.map(async (reply) => (await reply).json()));
    const next = upstream.request(order(server.port));
    await until(() => held.length === 301);
    held[300]!.end(answer('{}'));
    expect(await (await next).json()).toEqual({});
  });

  test('reads its files no faster than the provider takes them', async () => {
    let taken = 0;
    const endless = async function* () {
      for (let at = 0; at < 64 * MIB; at += 65_536) {
        taken += 65_536;
        yield Buffer.alloc(65_536);
      }
    };
    const sockets: net.Socket[] = [];
    const server = await loopback((socket) => sockets.push(socket.pause()));
    const timeouts = { ...TIMEOUTS, idleMs: 200 };
    const request = order(server.port, { body: [file(64 * MIB, endless)], timeouts });
    await expect(client().request(request)).rejects.toMatchObject({
      failure: { kind: 'broken' },
      mayHaveArrived: true,
    });
    expect(taken).toBeLessThan(16 * MIB);
    sockets[0]?.resume();
    await until(() => server.openConnections === 0);
  });

  test('gives the reply that came before all of it was sent', async () => {
    const refusal = 'HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
    const server = await loopback((socket) => socket.once('data', () => socket.write(refusal)));
    const reply = await client(server).request(order(server.port, { body: [file(16 * MIB)] }));
    expect(reply.status).toBe(413);
    expect(await reply.json()).toEqual({});
  });

  test('whose file can’t be read fails, as one that may have arrived', async () => {
    const server = await loopback((socket) => socket.resume());
    const broken = async function* () {
      yield Buffer.alloc(100);
      throw new Error('EBADF');
    };
    const request = order(server.port, { body: [file(1_000, broken)] });
    await expect(client(server).request(request)).rejects.toMatchObject({ mayHaveArrived: true });
    await until(() => server.openConnections === 0);
  });
});

describe('can’t have arrived', () => {
  const never = (kind: string) => ({ failure: { kind }, mayHaveArrived: false });

  test('what finds nobody', async () => {
    const server = await startLoopback(() => undefined);
    await server.stop();
    await expect(client().request(order(server.port))).rejects.toMatchObject(never('unreachable'));
    const request = { ...order(1), url: new URL('http://no-such-host.invalid/') };
    await expect(client().request(request)).rejects.toMatchObject(never('unreachable'));
  });

  test('what can’t connect in time', async () => {
    // A handshake that never answers: the connection does not stand.
    const server = await loopback(() => undefined);
    const timeouts = { ...TIMEOUTS, connectMs: 50 };
    const reply = client().request(order(server.port, { protocol: 'https', timeouts }));
    await expect(reply).rejects.toMatchObject(never('unreachable'));
  });

  test('what meets a certificate that nobody vouches for', async () => {
    const server = tls.createServer(SELF_SIGNED, () => undefined);
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as net.AddressInfo;
    const reply = client().request(order(port, { protocol: 'https' }));
    await expect(reply).rejects.toMatchObject(never('unreachable'));
  });

  test.each<[string, (socket: net.Socket) => void]>([
    ['an alert', (socket) => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 0x28]))],
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['plain text', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('what meets %s in the handshake, which is broken all the same', async (_what, misbehave) => {
    const server = await loopback((socket) => socket.once('data', () => misbehave(socket)));
    const reply = client(server).request(order(server.port, { protocol: 'https' }));
    await expect(reply).rejects.toMatchObject(never('broken'));
  });

  test('what was given up before', async () => {
    const server = await loopback(() => undefined);
    const signal = AbortSignal.abort();
    await expect(client(server).request(order(server.port, { signal }))).rejects.toMatchObject({
      mayHaveArrived: false,
    });
  });
});

describe('may have arrived', () => {
  const maybe = { failure: { kind: 'broken' }, mayHaveArrived: true };

  test.each<[string, (socket: net.Socket) => void]>([
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['an end', (socket) => socket.end()],
    ['half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
    ['something else', (socket) => socket.end('hello\r\n\r\n')],
    [
      'two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    ],
    ['a head too large', (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)],
  ])('what meets %s after it', async (_what, misbehave) => {
    const server = await loopback((socket) => socket.once('data', () => misbehave(socket)));
    const upstream = client(server);
    await expect(upstream.request(order(server.port))).rejects.toMatchObject(maybe);
    expect(server.connections).toBe(1);
  });

  test('what meets a reset while it is sent', async () => {
    const server = await loopback((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const reply = client(server).request(order(server.port, { body: [file(32 * MIB)] }));
    await expect(reply).rejects.toMatchObject(maybe);
  });

  test('what is not answered in time, or not within all its time', async () => {
    const server = await loopback((socket) => socket.resume());
    const upstream = client(server);
    for (const timeouts of [
      { ...TIMEOUTS, firstByteMs: 50 },
      { ...TIMEOUTS, totalMs: 50 },
    ]) {
      await expect(upstream.request(order(server.port, { timeouts }))).rejects.toMatchObject(maybe);
    }
    await until(() => server.openConnections === 0);
  });

  test('what is given up meanwhile', async () => {
    const abort = new AbortController();
    const server = await loopback((socket) => socket.once('data', () => abort.abort()));
    const reply = client(server).request(order(server.port, { signal: abort.signal }));
    await expect(reply).rejects.toMatchObject(maybe);
    await until(() => server.openConnections === 0);
  });
});

describe('a reply', () => {
  const replying = async (write: (socket: net.Socket) => void, parts: Parts = {}) => {
    const server = await loopback((socket) => socket.once('data', () => write(socket)));
    return { server, reply: await client(server).request(order(server.port, parts)) };
  };
  const broken = { failure: { kind: 'broken' } };

  test.each<[string, (socket: net.Socket) => void]>([
    [
      'reset',
      (socket) =>
        socket.write('HTTP/1.1 200 OK\r\nX-Request-Id: req_7\r\nContent-Length: 10\r\n\r\n{"a"', () =>
          setImmediate(() => socket.resetAndDestroy()),
        ),
    ],
    [
      'cut',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nX-Request-Id: req_7\r\nContent-Length: 10\r\n\r\n{"a"'),
    ],
    [
      'cut between chunks',
      (socket) =>
        socket.end('HTTP/1.1 200 OK\r\nX-Request-Id: req_7\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'),
    ],
    [
      'of malformed chunks',
      (socket) =>
        socket.end(
          'HTTP/1.1 200 OK\r\nX-Request-Id: req_7\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n',
        ),
    ],
    ['that is no JSON', (socket) => socket.end(answer('{"a"', 'X-Request-Id: req_7\r\n'))],
    ['that is empty', (socket) => socket.end(answer('', 'X-Request-Id: req_7\r\n'))],
  ])('%s is broken', async (_what, write) => {
    const { reply } = await replying(write);
    await expect(reply.json()).rejects.toMatchObject({ ...broken, providerRequestId: 'req_7' });
  });

  test('that goes silent is given up', async () => {
    const { reply, server } = await replying(
      (socket) => socket.write('HTTP/1.1 200 OK\r\nX-Request-Id: req_7\r\nContent-Length: 10\r\n\r\n{"a"'),
      { timeouts: { ...TIMEOUTS, idleMs: 50 } },
    );
    await expect(reply.json()).rejects.toMatchObject(broken);
    await until(() => server.openConnections === 0);
  });

  test('over its bound is broken, wherever the bound is noticed', async () => {
    const long = `HTTP/1.1 200 OK\r\nContent-Length: ${2 * MIB}\r\n\r\n`;
    const { reply, server } = await replying((socket) => {
      socket.write(long);
      socket.write(Buffer.alloc(2 * MIB, ' '));
    });
    await expect(reply.json()).rejects.toMatchObject(broken);
    await until(() => server.openConnections === 0);
  });

  test('comes no faster than it is read, and is whole', async () => {
    const total = 32 * MIB;
    let socketOf: net.Socket | undefined;
    const { reply } = await replying(
      (socket) => {
        socketOf = socket;
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`);
        socket.write(Buffer.alloc(total, 'reply'));
      },
      { maxReplyBytes: total },
    );
    let bytes = 0;
    for await (const piece of reply.body) {
      if (bytes === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      if (bytes === 0) expect(socketOf?.writableLength).toBeGreaterThan(total / 2);
      bytes += piece.length;
    }
    expect(bytes).toBe(total);
  });

  test('that nobody reads, or not to its end, holds no connection', async () => {
    const write = (socket: net.Socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${MIB}\r\n\r\n`);
      socket.write(Buffer.alloc(MIB));
    };
    const unread = await replying(write, { timeouts: { ...TIMEOUTS, idleMs: 50 } });
    await until(() => unread.server.openConnections === 0);
    await expect(gather(unread.reply.body)).rejects.toMatchObject(broken);

    const left = await replying(write);
    for await (const _piece of left.reply.body) break;
    await until(() => left.server.openConnections === 0);
  });

  test('that began is given up with its call', async () => {
    const abort = new AbortController();
    const { reply, server } = await replying(
      (socket) => socket.write('HTTP/1.1 200 OK\r\nX-Request-Id: req_7\r\nContent-Length: 10\r\n\r\n{"a"'),
      { signal: abort.signal },
    );
    abort.abort();
    await expect(reply.json()).rejects.toMatchObject(broken);
    await until(() => server.openConnections === 0);
  });

  test('in pieces that part a character is its text all the same', async () => {
    const text = JSON.stringify({ text: 'ü\u{1f600}'.repeat(3) });
    const bytes = Buffer.from(text);
    const { reply } = await replying(async (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      for (const byte of bytes) {
        socket.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect(await reply.json()).toEqual(JSON.parse(text));
  });

  test('may follow an interim one', async () => {
    const { reply } = await replying((socket) =>
      socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${answer('{"a":1}')}`),
    );
    expect(await reply.json()).toEqual({ a: 1 });
  });

  test('that leads elsewhere is not followed', async () => {
    const { reply, server } = await replying((socket) =>
      socket.end('HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'),
    );
    expect(reply.status).toBe(307);
    expect(server.connections).toBe(1);
  });
});
