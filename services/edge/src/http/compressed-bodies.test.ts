import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { ClientDisconnected } from '@gateway/rpc';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError } from '../testing/expect-error';
import { connectRaw } from '../testing/raw-client';

const MIB = 1024 ** 2;
/** Compresses to half of its size. */
const hex = (bytes: number) => randomBytes(bytes / 2).toString('hex');
const FORM_TYPE = 'multipart/form-data; boundary=abc';

let fixture: EdgeFixture;
/** Bytes of the last upload that media's handler read, and how the upload ended. */
let readBytes: number;
let ended: unknown;
beforeAll(async () => {
  fixture = await startEdgeFixture({
    EDGE_MAX_BODY_BYTES: String(8 * MIB),
    EDGE_MAX_UPLOAD_BYTES: String(20 * MIB),
  });
  fixture.media.handler = async (_context, { bodyStream }) => {
    readBytes = 0;
    ended = undefined;
    try {
      for await (const bytes of bodyStream ?? []) readBytes += bytes.length;
      ended = 'whole';
    } catch (error) {
      ended = error;
      throw error;
    }
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from(String(readBytes)) };
  };
});
afterAll(() => fixture.stop());

const post = (path: string, bytes: Buffer, coding: string, type: string) =>
  fetch(fixture.apiUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': type, 'content-encoding': coding },
    body: new Uint8Array(bytes),
  });
const expectAllReleased = () => until(async () => (await fixture.bodyBytes()) === 0);

describe('a compressed JSON body', () => {
  const send = (bytes: Buffer, coding: string) =>
    post('/v1/chat/completions', bytes, coding, 'application/json');

  test.each([
    ['gzip', 'gzip', gzipSync('{"a":1}')],
    ['gzip in two members', 'gzip', Buffer.concat([gzipSync('{"a"'), gzipSync(':1}')])],
    ['gzip by its older name', 'X-GZIP', gzipSync('{"a":1}')],
    ['deflate', 'deflate', deflateSync('{"a":1}')],
    ['deflate with another level', 'deflate', deflateSync('{"a":1}', { level: 1 })],
    ['deflate without a header', 'deflate', deflateRawSync('{"a":1}')],
    ['deflate without a header, stored', 'deflate', deflateRawSync('{"a":1}', { level: 0 })],
    ['Brotli', 'br', brotliCompressSync('{"a":1}')],
    ['zstd', 'zstd', zstdCompressSync('{"a":1}')],
    ['no coding', 'identity', Buffer.from('{"a":1}')],
  ])('reaches chat decompressed: %s', async (_what, coding, bytes) => {
    expect((await send(bytes, coding)).status).toBe(200);
    const { body, headers } = fixture.chat.lastCall!.call;
    expect(body.toString()).toBe('{"a":1}');
    expect(headers).not.toHaveProperty('content-encoding');
    await expectAllReleased();
  });

  const zeros = Buffer.alloc(3 * MIB);
  test.each([
    ['not compressed', 'gzip', Buffer.from('{}'), /not valid gzip/],
    ['cut off', 'gzip', gzipSync('{}').subarray(0, -1), /not valid gzip/],
    ['cut off', 'br', brotliCompressSync('{"a":"bcd"}').subarray(0, -1), /not valid br/],
    ['cut off', 'zstd', zstdCompressSync('{}').subarray(0, -1), /not valid zstd/],
    ['followed by bytes', 'deflate', Buffer.concat([deflateSync('{}'), Buffer.from('{}')]), /deflate/],
    ['cut off', 'deflate', deflateRawSync('{"a":1}').subarray(0, -1), /not valid deflate/],
    ['cut off', 'deflate', deflateSync('{"a":1}').subarray(0, 1), /not valid deflate/],
    ['followed by bytes', 'deflate', Buffer.concat([deflateRawSync('{}'), Buffer.from('{}')]), /deflate/],
    ['followed by a frame', 'zstd', Buffer.concat([zstdCompressSync('{}'), zstdCompressSync('{}')]), /zstd/],
    ['of another coding', 'br', gzipSync('{"a":1}'), /not valid br/],
    ['of an unknown coding', 'compress', Buffer.from('{}'), /must be one of gzip, deflate, br, zstd/],
    ['compressed twice', 'gzip, gzip', gzipSync(gzipSync('{}')), /must be one of/],
    ['a bomb', 'gzip', gzipSync(zeros), /more than 100 times/],
    ['a bomb', 'deflate', deflateSync(zeros), /more than 100 times/],
    ['a bomb', 'br', brotliCompressSync(zeros), /more than 100 times/],
    ['a bomb', 'zstd', zstdCompressSync(zeros), /more than 100 times/],
    ['too large once it is decompressed', 'gzip', gzipSync(hex(9 * MIB), { level: 1 }), /too large/],
  ])('is refused if it is %s (%s)', async (_what, coding, bytes, detail) => {
    const calls = fixture.chat.callCount;
    const reply = await send(bytes, coding);
    expect(await reply.clone().text()).toMatch(detail);
    await expectFetchError(reply, 'invalid_request');
    expect(fixture.chat.callCount).toBe(calls);
    await expectAllReleased();
  });

  test('may have any ratio if it is small', async () => {
    const json = Buffer.from(JSON.stringify({ text: 'a'.repeat(900_000) }));
    expect((await send(gzipSync(json), 'gzip')).status).toBe(200);
    expect(fixture.chat.lastCall!.call.body).toEqual(json);
  });
});

describe('a compressed form', () => {
  const form = randomBytes(3 * MIB);
  const send = (bytes: Buffer, coding: string) => post('/v1/images/edits', bytes, coding, FORM_TYPE);

  test.each([
    ['gzip', gzipSync(form)],
    ['deflate', deflateSync(form)],
    ['deflate', deflateRawSync(form)],
    ['br', brotliCompressSync(form.subarray(0, MIB))],
    ['zstd', zstdCompressSync(form)],
  ])('is decompressed as it is streamed: %s', async (coding, bytes) => {
    const reply = await send(bytes, coding);
    expect(await reply.text()).toBe(String(coding === 'br' ? MIB : form.length));
    await expectAllReleased();
  });

  test.each([
    ['cut off', gzipSync(form).subarray(0, -100), /not valid gzip/],
    ['too large once it is decompressed', gzipSync(hex(21 * MIB), { level: 1 }), /too large/],
    ['a bomb', gzipSync(Buffer.alloc(8 * MIB)), /more than 100 times/],
    ['not compressed', form, /not valid gzip/],
  ])('is refused if it is %s', async (_what, bytes, detail) => {
    const reply = await send(bytes, 'gzip');
    expect(await reply.clone().text()).toMatch(detail);
    await expectFetchError(reply, 'invalid_request');
    await until(() => ended !== undefined);
    expect(ended).not.toBe('whole');
    await expectAllReleased();
  });

  const half = form.subarray(0, 1_000_000);
  test.each([
    ['zstd', 'by a frame', Buffer.concat([zstdCompressSync(half), zstdCompressSync(half)])],
    ['zstd', 'by a short frame', Buffer.concat([zstdCompressSync('a'), zstdCompressSync('b')])],
    ['deflate', 'by bytes', Buffer.concat([deflateSync(half), Buffer.from('more')])],
    ['deflate', 'by bytes', Buffer.concat([deflateRawSync(half), Buffer.from('more')])],
    ['br', 'by bytes', Buffer.concat([brotliCompressSync(half.subarray(0, 1_000)), Buffer.from('more')])],
  ])('is refused if its %s is followed %s', async (coding, _what, bytes) => {
    const reply = await send(bytes, coding);
    expect(await reply.clone().text()).toMatch(`not valid ${coding}`);
    await expectFetchError(reply, 'invalid_request');
    await until(() => ended !== undefined);
    expect(ended).not.toBe('whole');
    await expectAllReleased();
  });

  test.each(['gzip', 'deflate'])('is refused if it has no bytes: %s', async (coding) => {
    const reply = await send(Buffer.alloc(0), coding);
    expect(await reply.clone().text()).toMatch(`not valid ${coding}`);
    await expectFetchError(reply, 'invalid_request');
    await expectAllReleased();
  });

  test('ends when its client disconnects', async () => {
    const connection = connectRaw(fixture.apiPort);
    connection.socket.write(
      `POST /v1/images/edits HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: ${FORM_TYPE}\r\n` +
        'Content-Encoding: gzip\r\nContent-Length: 1000000\r\n\r\n',
    );
    connection.socket.write(gzipSync(form).subarray(0, 900_000));
    await until(() => readBytes > 0 && ended === undefined);
    connection.socket.destroy();
    await until(() => ended instanceof ClientDisconnected);
    await expectAllReleased();
  });
});
