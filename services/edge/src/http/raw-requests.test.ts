import { until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, OTHER_KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectRawError } from '../testing/expect-error';
import { connectRaw, parseReply, sendRaw } from '../testing/raw-client';

let fixture: EdgeFixture;
beforeAll(async () => {
  fixture = await startEdgeFixture({
    EDGE_MAX_BODY_BYTES: '100000',
    EDGE_BODY_MEMORY_BYTES: '210000',
  });
});
afterAll(() => fixture.stop());

const HEAD = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`;
const send = (bytes: string) => sendRaw(fixture.apiPort, bytes);

/** Checks that the gateway still answers a valid call. */
async function expectAlive(): Promise<void> {
  const text = await send(`${HEAD}Connection: close\r\nContent-Length: 2\r\n\r\n{}`);
  expect(parseReply(text)).toMatchObject({ status: 200 });
}

describe('an invalid HTTP request', () => {
  test.each([
    ['arbitrary bytes', 'hello\r\n\r\n'],
    ['a TLS ClientHello', '\x16\x03\x01\x02\x00\x01\x00'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an invalid method', 'BR(W /v1/models HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'Content-Length and Transfer-Encoding',
      `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    ],
    ['two Content-Length headers', `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`],
    ['a negative Content-Length', `${HEAD}Content-Length: -1\r\n\r\n`],
    ['an invalid Content-Length', `${HEAD}Content-Length: 2x\r\n\r\n{}`],
    ['a bare CR in a header', `${HEAD}X-A: b\rX-C: d\r\n\r\n`],
    ['a NUL in a header', `${HEAD}X-A: b\0\r\n\r\n`],
    ['a space before the colon', `${HEAD}X-A : b\r\n\r\n`],
    ['a folded header', `${HEAD}X-A: b\r\n c\r\n\r\n`],
    ['an unknown transfer coding', `${HEAD}Transfer-Encoding: gzip\r\n\r\n`],
    ['a transfer coding before chunked', `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a header that is too large', `${HEAD}X-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['a target that is too long', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['too many headers', `${HEAD}${'A:b\r\n'.repeat(200)}Content-Length: 0\r\n\r\n`],
    ['a malformed chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ])('with %s gets invalid_request, and the connection closes', async (_what, bytes) => {
    const text = await send(bytes);
    expectRawError(text, 'invalid_request');
    expect(parseReply(text).headers.connection).toBe('close');
    await expectAlive();
  });

  test('an absolute-form target is handled like its path', async () => {
    const from = (target: string) =>
      send(`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nConnection: close\r\n\r\n`);
    expect(parseReply(await from('http://x/v1/models'))).toMatchObject({ status: 200 });
    expectRawError(await from('http://x/v1/nothing'), 'not_found');
    expectRawError(await from('ftp://x/v1/models'), 'not_found');
  });

  test('a request without Host or with two gets invalid_request, except without Host in HTTP/1.0', async () => {
    expectRawError(await send('GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n'), 'invalid_request');
    const two = 'GET /v1/models HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n';
    expectRawError(await send(two), 'invalid_request');
    const old = `GET /v1/models HTTP/1.0\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
    expect(parseReply(await send(old)).status).toBe(200);
  });

  test.each([
    ['no Host', ''],
    ['two Hosts', 'Host: a\r\nHost: b\r\n'],
    ['101 headers', `Host: x\r\n${'A:b\r\n'.repeat(100)}`],
  ])(
    'a request with %s closes the connection, and a pipelined request after it is ignored',
    async (_what, headers) => {
      const before = fixture.chat.lastCall;
      for (const body of ['', 'Content-Length: 2\r\n']) {
        const wrong = `POST /v1/chat/completions HTTP/1.1\r\n${headers}${body}\r\n${body && '{}'}`;
        const text = await send(`${wrong}${HEAD}Content-Length: 2\r\n\r\n{}`);
        expectRawError(text, 'invalid_request');
        expect(parseReply(text).headers.connection).toBe('close');
        expect(text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
      }
      expect(fixture.chat.lastCall).toBe(before);
      await expectAlive();
    },
  );

  test.each(['BREW', 'post'])(
    'with the unknown method %s gets not_found, and the connection closes',
    async (method) => {
      expectRawError(await send(`${method} /v1/models HTTP/1.1\r\nHost: x\r\n\r\n`), 'not_found');
      await expectAlive();
    },
  );

  test('CONNECT gets not_found, and an upgrade request is handled like any unknown path', async () => {
    expectRawError(await send('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'), 'not_found');
    const upgrade =
      'GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n';
    expectRawError(await send(upgrade), 'not_found');
  });
});

describe('a request body', () => {
  test('is discarded when its client disconnects', async () => {
    const connection = connectRaw(fixture.apiPort);
    connection.socket.write(`${HEAD}Content-Length: 50000\r\n\r\n${'x'.repeat(1_000)}`);
    await until(async () => (await fixture.bodyBytes()) === 1_000);
    connection.socket.destroy();
    await expectNoBodyBytes();
  });

  test('over the limit gets invalid_request and closes the connection, with or without Content-Length', async () => {
    const withLength = await send(`${HEAD}Content-Length: 5000000\r\n\r\n${'x'.repeat(200_000)}`);
    expectRawError(withLength, 'invalid_request');
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    expectRawError(
      await send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`),
      'invalid_request',
    );
    await expectNoBodyBytes();
  });

  test('of exactly the limit is accepted, in chunks too', async () => {
    const body = 'x'.repeat(100_000);
    const plain = await send(`${HEAD}Connection: close\r\nContent-Length: 100000\r\n\r\n${body}`);
    expect(parseReply(plain).status).toBe(200);
    const chunked = `${(100_000).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const text = await send(`${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`);
    expect(parseReply(text).status).toBe(200);
    expect(fixture.chat.lastCall?.call.body.length).toBe(100_000);
  });

  test('that arrives byte by byte is passed on complete', async () => {
    const body = Array.from({ length: 99_000 }, (_, at) => 'abcdefghij'[at % 10]).join('');
    const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
    const text = await send(
      `${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    );
    expect(parseReply(text).status).toBe(200);
    expect(fixture.chat.lastCall?.call.body.toString()).toBe(body);
  });

  test('above the remaining body memory is rate_limited with Retry-After', async () => {
    const holder = connectRaw(fixture.apiPort);
    holder.socket.write(`${HEAD}Content-Length: 100000\r\n\r\n${'x'.repeat(99_000)}`);
    await until(async () => (await fixture.bodyBytes()) === 99_000);
    const other = HEAD.replace(KEY, OTHER_KEY);
    const text = await send(`${other}Content-Length: 90000\r\n\r\n${'x'.repeat(90_000)}`);
    expectRawError(text, 'rate_limited');
    expect(parseReply(text).headers['retry-after']).toBe('1');
    holder.socket.destroy();
    await expectNoBodyBytes();
  });

  test('above the memory quota of its account is rate_limited; other accounts are not affected', async () => {
    const holder = connectRaw(fixture.apiPort);
    holder.socket.write(`${HEAD}Content-Length: 100000\r\n\r\n${'x'.repeat(99_000)}`);
    await until(async () => (await fixture.bodyBytes()) === 99_000);
    const next = `Connection: close\r\nContent-Length: 50000\r\n\r\n${'x'.repeat(50_000)}`;
    const text = await send(HEAD + next);
    expectRawError(text, 'rate_limited');
    expect(parseReply(text).headers['retry-after']).toBe('1');
    expect(parseReply(await send(HEAD.replace(KEY, OTHER_KEY) + next)).status).toBe(200);
    holder.socket.write('x'.repeat(1_000));
    await until(() => holder.text().startsWith('HTTP/1.1 200'));
    expect(parseReply(await send(HEAD + next)).status).toBe(200);
    holder.socket.destroy();
  });

  test('in flight counts against the memory quota of its account, which other accounts reduce further', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    fixture.chat.handler = async (_context, { body }) => {
      if (body.length === 99_000) await held;
      return { status: 200, headers: { 'content-length': '2' }, body: Buffer.from('{}') };
    };
    const sent = (bytes: number, head = HEAD) =>
      send(`${head}Connection: close\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`);
    const text = sent(99_000);
    await until(async () => (await fixture.bodyBytes()) === 99_000);
    expect(parseReply(await sent(2_000)).status).toBe(200);
    expectRawError(await sent(50_000), 'rate_limited');
    expect(parseReply(await sent(50_000, HEAD.replace(KEY, OTHER_KEY))).status).toBe(200);
    release();
    expect(parseReply(await text).status).toBe(200);
    expect(parseReply(await sent(50_000)).status).toBe(200);
    fixture.chat.answerOk();
  });

  test('announced with Expect: 100-continue is requested if the headers are valid', async () => {
    const connection = connectRaw(fixture.apiPort);
    connection.socket.write(`${HEAD}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
    await until(() => connection.text().startsWith('HTTP/1.1 100 '));
    connection.socket.write('{}');
    await connection.closed;
    expect(connection.text()).toMatch(/HTTP\/1\.1 200 OK/);

    const refused = HEAD.replace(KEY, 'sk-gw-unknown');
    const text = await send(`${refused}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
    expectRawError(text, 'invalid_api_key');
    expect(await send(`${HEAD}Connection: close\r\nExpect: magic\r\nContent-Length: 2\r\n\r\n{}`)).toMatch(
      / 200 OK/,
    );
  });
});

test('a refused request leaves the connection usable, after its small body is discarded', async () => {
  const connection = connectRaw(fixture.apiPort);
  const wrong = `${HEAD.replace(KEY, 'sk-gw-unknown')}Content-Length: 2\r\n\r\n{}`;
  connection.socket.write(`${wrong}${HEAD}Connection: close\r\nContent-Length: 2\r\n\r\n{}`);
  await connection.closed;
  expect(connection.text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
});

test('invalid bytes after a request do not affect its response, and the connection closes', async () => {
  const text = await send(`${HEAD}Content-Length: 2\r\n\r\n{}noise\r\n\r\n`);
  expect(parseReply(text)).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect(text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
});

async function expectNoBodyBytes(): Promise<void> {
  await until(async () => (await fixture.bodyBytes()) === 0);
}
