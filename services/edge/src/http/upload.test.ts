import { GatewayError } from '@gateway/errors';
import { LINK_REQUEST_WINDOW_BYTES, type LinkCall } from '@gateway/link';
import { ClientDisconnected } from '@gateway/rpc';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, OTHER_KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError, expectRawError } from '../testing/expect-error';
import { connectRaw, parseReply, type RawConnection, sendRaw } from '../testing/raw-client';

const MIB = 1024 * 1024;
const TYPE = 'multipart/form-data; boundary=abc';
const MAX_BYTES = 20 * MIB;

let fixture: EdgeFixture;
/** An edge with short timeouts. */
let impatient: EdgeFixture;
/** Bytes of the last upload that media's handler read, and how the upload ended. */
let readBytes: number;
let ended: unknown;
beforeAll(async () => {
  impatient = await startEdgeFixture({ EDGE_STALL_TIMEOUT_MS: '400', EDGE_BODY_PROGRESS_MS: '400' });
  fixture = await startEdgeFixture({
    EDGE_MAX_UPLOAD_BYTES: String(MAX_BYTES),
    // An account that is alone may use half of it: 32 uploads.
    EDGE_BODY_MEMORY_BYTES: String(32 * MIB),
    EDGE_MAX_BODY_BYTES: String(MIB),
  });
});
afterAll(() => Promise.all([fixture.stop(), impatient.stop()]));
beforeEach(() => {
  readBytes = 0;
  ended = undefined;
  for (const { media } of [fixture, impatient]) {
    media.handler = async (_context, call) => {
      await take(call);
      return done(`${readBytes}`);
    };
  }
});

async function take({ bodyStream }: LinkCall): Promise<void> {
  try {
    for await (const bytes of bodyStream ?? []) readBytes += bytes.length;
    ended = 'whole';
  } catch (error) {
    ended = error;
    throw error;
  }
}

const done = (body: string) => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
  body: Buffer.from(body),
});
const post = (path: string, body: Buffer | string, headers: Record<string, string> = {}) =>
  fetch(fixture.apiUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': TYPE, ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
const head = (lines: string) =>
  `POST /v1/images/edits HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: ${TYPE}\r\n${lines}\r\n\r\n`;
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

function begin(lines: string, { apiPort } = fixture): RawConnection {
  const connection = connectRaw(apiPort);
  connection.socket.write(head(lines));
  return connection;
}

/** Checks that no body memory is in use and no call is in flight. */
async function expectAllReleased({ bodyBytes, media } = fixture): Promise<void> {
  await until(async () => (await bodyBytes()) === 0);
  await until(() => media.links.callsInFlight === 0);
}

describe('a multipart form', () => {
  test('is streamed to media unchanged, with the headers that media needs', async () => {
    const received: Buffer[] = [];
    fixture.media.handler = async (_context, { bodyStream }) => {
      for await (const bytes of bodyStream ?? []) received.push(Buffer.from(bytes));
      return done('{}');
    };
    const body = Buffer.alloc(2 * MIB + 5, 'all of the form ');
    for (const path of ['/v1/images', '/v1/images/edits', '/v1/videos/kling/create']) {
      received.length = 0;
      const reply = await post(path, body, { 'idempotency-key': 'once' });
      expect(reply.status).toBe(200);
      expect(Buffer.concat(received).equals(body)).toBe(true);
      const { call } = fixture.media.lastCall!;
      expect(call).toMatchObject({ method: 'POST', path, key: { accountId: 'account-1' } });
      expect(call.headers).toMatchObject({ 'content-type': TYPE, 'idempotency-key': 'once' });
      expect(call.headers.authorization).toBeUndefined();
    }
    await expectAllReleased();
  });

  test('in many small chunks is streamed too, and its connection stays usable', async () => {
    const connection = begin('Transfer-Encoding: chunked');
    const small = Buffer.concat(Array.from({ length: 20_000 }, () => chunk(Buffer.from('x'))));
    connection.socket.write(Buffer.concat([small, Buffer.from('0\r\n\r\n')]));
    await until(() => connection.text().endsWith('20000'));
    connection.socket.write(`${head('Content-Length: 3\r\nConnection: close')}abc`);
    await connection.closed;
    expect(connection.text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    await expectAllReleased();
  });

  test('may be empty; media decides whether that is valid', async () => {
    expect(await (await post('/v1/images', '')).text()).toBe('0');
  });

  test('announced with Expect: 100-continue is requested', async () => {
    const connection = begin('Connection: close\r\nExpect: 100-continue\r\nContent-Length: 5');
    await until(() => connection.text().startsWith('HTTP/1.1 100 '));
    connection.socket.write('abcde');
    await connection.closed;
    expect(connection.text()).toMatch(/HTTP\/1\.1 200 OK[\s\S]*5$/);
  });

  test('is rejected on other paths, in an unknown coding, or with an invalid key', async () => {
    for (const path of ['/v1/images/generations', '/v1/videos/kling/status', '/v1/chat/completions']) {
      await expectFetchError(await post(path, 'x'), 'invalid_request');
    }
    const compressed = post('/v1/images', 'x', { 'content-encoding': 'compress' });
    await expectFetchError(await compressed, 'invalid_request');
    await expectFetchError(await post('/v1/images', 'x', { authorization: 'Bearer x' }), 'invalid_api_key');
    await expectAllReleased();
  });
});

test('a JSON body on an upload path is passed on complete, like any other', async () => {
  const reply = await post('/v1/images', '{"a":1}', { 'content-type': 'application/json' });
  expect(reply.status).toBe(200);
  const { call } = fixture.media.lastCall!;
  expect(call.body.toString()).toBe('{"a":1}');
  expect(call.bodyStream).toBeUndefined();
});

describe('form bytes that media does not read', () => {
  test('are left on the client connection, do not block other calls, and continue later', async () => {
    let go: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    fixture.media.handler = async (_context, call) => {
      if (!call.bodyStream) return done('json');
      const { bodyStream } = call;
      // Reads a part, so that the upload does not time out, and then the rest.
      for await (const bytes of bodyStream) {
        readBytes += bytes.length;
        if (readBytes <= LINK_REQUEST_WINDOW_BYTES) await new Promise((resolve) => setTimeout(resolve, 20));
        else await gone;
      }
      return done(`${readBytes}`);
    };
    const connection = begin(`Connection: close\r\nContent-Length: ${MAX_BYTES}`);
    connection.socket.write(Buffer.alloc(MAX_BYTES));
    await until(() => readBytes > LINK_REQUEST_WINDOW_BYTES);
    // In flight: the link window, Node's read-ahead and the socket buffers of both ends.
    expect(connection.socket.bytesWritten - connection.socket.writableLength).toBeLessThan(MAX_BYTES);
    const json = await post('/v1/images', '{}', { 'content-type': 'application/json' });
    expect(await json.text()).toBe('json');
    expect(await fixture.bodyBytes()).toBe(4 * LINK_REQUEST_WINDOW_BYTES);
    go();
    await connection.closed;
    expect(parseReply(connection.text())).toMatchObject({ status: 200, body: String(MAX_BYTES) });
    await expectAllReleased();
  });

  test('within the stall timeout fail the call with internal_error', async () => {
    impatient.media.handler = ({ signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new GatewayError('invalid_request'))),
      );
    const connection = begin(`Content-Length: ${MAX_BYTES}`, impatient);
    connection.socket.write(Buffer.alloc(2 * MIB));
    await connection.closed;
    expectRawError(connection.text(), 'internal_error');
    await expectAllReleased(impatient);
  });
});

describe('a form that is too large', () => {
  test('by its Content-Length never reaches media', async () => {
    const calls = fixture.media.callCount;
    const connection = begin(`Content-Length: ${MAX_BYTES + 1}`);
    await connection.closed;
    expectRawError(connection.text(), 'invalid_request');
    expect(fixture.media.callCount).toBe(calls);
    await expectAllReleased();
  });

  test('without a Content-Length is cut off at the limit', async () => {
    const connection = begin('Transfer-Encoding: chunked');
    const piece = chunk(Buffer.alloc(MIB));
    for (let at = 0; at <= MAX_BYTES / MIB; at += 1) connection.socket.write(piece);
    await connection.closed;
    expectRawError(connection.text(), 'invalid_request');
    expect(readBytes).toBeLessThanOrEqual(MAX_BYTES);
    await expectAllReleased();
    expect(ended).toBeInstanceOf(ClientDisconnected);
  });
});

describe('the client of an upload', () => {
  test('that disconnects ends its call', async () => {
    for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
      ended = undefined;
      const connection = begin(`Content-Length: ${MAX_BYTES}`);
      connection.socket.write(Buffer.alloc(MIB));
      await until(() => readBytes > 0);
      connection.socket[leave]();
      await until(() => ended !== undefined);
      expect(ended).toBeInstanceOf(ClientDisconnected);
      await expectAllReleased();
      readBytes = 0;
    }
  });

  test('that stops sending or sends too slowly gets invalid_request', async () => {
    for (const trickling of [false, true]) {
      const connection = begin('Content-Length: 50000', impatient);
      connection.socket.write('x'.repeat(20_000));
      const trickle = setInterval(() => trickling && connection.socket.write('x'), 20);
      await connection.closed.finally(() => clearInterval(trickle));
      expectRawError(connection.text(), 'invalid_request');
      await expectAllReleased(impatient);
    }
  });

  test('that sends an invalid chunk gets invalid_request', async () => {
    const connection = begin('Transfer-Encoding: chunked');
    connection.socket.write(Buffer.concat([chunk(Buffer.alloc(1_000)), Buffer.from('zz\r\n')]));
    await connection.closed;
    expectRawError(connection.text(), 'invalid_request');
    await until(() => ended !== undefined);
    expect(ended).toBeInstanceOf(ClientDisconnected);
    await expectAllReleased();
  });

  test('can hold uploads up to the quota of its account; other accounts keep their quota', async () => {
    const open = Array.from({ length: 32 }, () => begin(`Content-Length: ${MIB}`));
    await until(async () => (await fixture.bodyBytes()) === 32 * 4 * LINK_REQUEST_WINDOW_BYTES);
    const refused = await post('/v1/images', 'x');
    expect(refused.headers.get('retry-after')).toBe('1');
    await expectFetchError(refused, 'rate_limited');
    const other = await post('/v1/images', 'x', { authorization: `Bearer ${OTHER_KEY}` });
    expect(other.status).toBe(200);
    for (const { socket } of open) socket.destroy();
    await expectAllReleased();
    expect((await post('/v1/images', 'x')).status).toBe(200);
  });
});

describe('a response before the form is complete', () => {
  test('reaches the client, and the connection closes', async () => {
    fixture.media.handler = async (_context, { bodyStream }) => {
      for await (const bytes of bodyStream ?? []) {
        readBytes += bytes.length;
        throw new GatewayError('invalid_request', { detail: 'image must be a file' });
      }
      return done('{}');
    };
    for (const [total, sent] of [
      [MAX_BYTES, MIB],
      [50_000, 20_000],
    ] as const) {
      const connection = begin(`Content-Length: ${total}`);
      connection.socket.write(Buffer.alloc(sent));
      await connection.closed;
      expectRawError(connection.text(), 'invalid_request');
      expect(parseReply(connection.text())).toMatchObject({
        headers: { connection: 'close' },
        body: expect.stringContaining('image must be a file'),
      });
      await expectAllReleased();
    }
  });

  test('reaches a client that keeps sending', async () => {
    fixture.media.handler = async () => {
      throw new GatewayError('invalid_request', { detail: 'no' });
    };
    for (let at = 0; at < 5; at += 1) {
      await expectFetchError(await post('/v1/images', Buffer.alloc(MAX_BYTES)), 'invalid_request');
    }
  });

  test('may be a success with a body', async () => {
    fixture.media.handler = async () => ({ ...done('early'), body: Buffer.from('early') });
    const connection = begin(`Content-Length: ${MAX_BYTES}`);
    connection.socket.write(Buffer.alloc(MIB));
    await connection.closed;
    expect(parseReply(connection.text())).toMatchObject({
      status: 200,
      headers: { connection: 'close' },
      body: 'early',
    });
    await expectAllReleased();
  });
});

test('an upload fails with internal_error when media is killed', async () => {
  const own = await startEdgeFixture();
  try {
    let begun = false;
    own.media.handler = async (_context, call) => {
      begun = true;
      await take(call);
      return done('{}');
    };
    const connection = connectRaw(own.apiPort);
    connection.socket.write(head(`Content-Length: ${MIB}`));
    connection.socket.write(Buffer.alloc(1_000));
    await until(() => begun && readBytes > 0);
    await own.media.stop();
    await connection.closed;
    expectRawError(connection.text(), 'internal_error');
    expect(await own.bodyBytes()).toBe(0);
  } finally {
    await own.stop();
  }
});

test('signed files need no key, and media paths answer not_found without media', async () => {
  const reply = await fetch(`${fixture.apiUrl}/v1/videos/files/signed.token`);
  expect(reply.status).toBe(200);
  expect(fixture.media.lastCall?.call).toMatchObject({
    path: '/v1/videos/files/signed.token',
    key: { keyId: '' },
  });
  const own = await startEdgeFixture({ MEDIA_ADDR: '' });
  try {
    const missing = await fetch(`${own.apiUrl}/v1/images`, { method: 'POST' });
    await expectFetchError(missing, 'not_found');
  } finally {
    await own.stop();
  }
});

test("media receives edge's own origin, never the Host of the client", async () => {
  await sendRaw(
    fixture.apiPort,
    `POST /v1/videos/kling/result HTTP/1.1\r\nHost: evil.example.com\r\nX-Edge-Origin: http://evil.example.com\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  );
  const { headers } = fixture.media.lastCall!.call;
  expect(headers['x-edge-origin']).toBe(`http://127.0.0.1:${fixture.apiPort}`);
  expect(JSON.stringify(headers)).not.toContain('evil');
});
