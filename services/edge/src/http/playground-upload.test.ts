import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError, expectRawError } from '../testing/expect-error';
import { connectRaw, parseReply, type RawConnection } from '../testing/raw-client';
import { until } from '../testing/until';

const MIB = 1024 * 1024;
const TYPE = 'multipart/form-data; boundary=abc';
const MAX_BYTES = 20 * MIB;
const PATH = '/api/v1/playground/images/edits';

let fixture: EdgeFixture;
/** Whose patience is short. */
let hasty: EdgeFixture;
const tokens = new Map<EdgeFixture, string>();
let takenBytes: number;
beforeAll(async () => {
  hasty = await startEdgeFixture({ EDGE_STALL_TIMEOUT_MS: '400', EDGE_BODY_PROGRESS_MS: '400' });
  fixture = await startEdgeFixture({
    EDGE_MAX_UPLOAD_BYTES: String(MAX_BYTES),
    EDGE_DASHBOARD_MAX_BODY_BYTES: '10000',
  });
  for (const one of [fixture, hasty]) tokens.set(one, await one.dashboard.token());
});
afterAll(() => Promise.all([fixture?.stop(), hasty?.stop()]));
beforeEach(() => {
  takenBytes = 0;
  for (const { dashboard } of [fixture, hasty]) dashboard.handler = count;
});

const count = (request: IncomingMessage, response: ServerResponse) => {
  request.on('data', (bytes: Buffer) => {
    takenBytes += bytes.length;
  });
  request.on('end', () => response.end(`${takenBytes}`));
};
const authorizationOf = (of: EdgeFixture) => `Bearer ${tokens.get(of)}`;
const post = (body: Buffer | string, headers: Record<string, string> = {}, path = `${PATH}?key_id=key_1`) =>
  fetch(fixture.dashboardUrl + path, {
    method: 'POST',
    headers: { authorization: authorizationOf(fixture), 'content-type': TYPE, ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
function begin(lines: string, of = fixture): RawConnection {
  const connection = connectRaw(of.dashboardPort);
  connection.socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorizationOf(of)}\r\nContent-Type: ${TYPE}\r\n${lines}\r\n\r\n`,
  );
  return connection;
}
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const expectNothingLeft = (of = fixture) => until(async () => (await of.bodyBytes()) === 0);

describe('a form for the playground', () => {
  test('goes through whole, with its query, type and length', async () => {
    const received: Buffer[] = [];
    let seen: IncomingMessage | undefined;
    fixture.dashboard.handler = (request, response) => {
      seen = request;
      request.on('data', (bytes: Buffer) => received.push(bytes)).on('end', () => response.end('{}'));
    };
    const body = Buffer.alloc(2 * MIB + 5, 'all of the form ');
    const reply = await post(body, { 'idempotency-key': 'once' });
    expect([reply.status, await reply.text()]).toEqual([200, '{}']);
    expect(Buffer.concat(received).equals(body)).toBe(true);
    expect(seen).toMatchObject({ method: 'POST', url: `${PATH}?key_id=key_1` });
    expect(seen!.headers).toMatchObject({
      'content-type': TYPE,
      'content-length': String(body.length),
      'idempotency-key': 'once',
    });
    await expectNothingLeft();
  });

  test('may come in chunks, announced with Expect, and its connection lives on', async () => {
    const connection = begin('Expect: 100-continue\r\nTransfer-Encoding: chunked');
    await until(() => connection.text().startsWith('HTTP/1.1 100 '));
    connection.socket.write(Buffer.concat([chunk(Buffer.alloc(20_000)), Buffer.from('0\r\n\r\n')]));
    await until(() => connection.text().includes('20000'));
    connection.socket.write('GET /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await connection.closed;
    expect(connection.text().match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    await expectNothingLeft();
  });

  test('is read no faster than the dashboard takes it, and costs the same whatever its size', async () => {
    let held: IncomingMessage | undefined;
    fixture.dashboard.handler = (request, response) => {
      held = request;
      request.on('end', () => response.end('done'));
    };
    const connection = begin(`Connection: close\r\nContent-Length: ${MAX_BYTES}`);
    connection.socket.write(Buffer.alloc(MAX_BYTES));
    await until(() => held !== undefined);
    await until(async () => (await fixture.bodyBytes()) === 512 * 1024);
    expect(connection.socket.writableLength).toBeGreaterThan(0);
    held!.resume();
    await connection.closed;
    expect(parseReply(connection.text())).toMatchObject({ status: 200 });
    await expectNothingLeft();
  });

  test('too large is refused, whether it tells its length or not', async () => {
    const told = begin(`Content-Length: ${MAX_BYTES + 1}`);
    await told.closed;
    expectRawError(told.text(), 'invalid_request');
    expect(takenBytes).toBe(0);
    const untold = begin('Transfer-Encoding: chunked');
    const piece = chunk(Buffer.alloc(MIB));
    for (let at = 0; at <= MAX_BYTES / MIB; at += 1) untold.socket.write(piece);
    await untold.closed;
    expectRawError(untold.text(), 'invalid_request');
    await expectNothingLeft();
  });

  test('needs a login, and no API key will do', async () => {
    fixture.dashboard.lastRequest = undefined;
    await expectFetchError(await post('x', { authorization: 'Bearer x.y.z' }), 'invalid_api_key');
    await expectFetchError(await post('x', { authorization: `Bearer ${KEY}` }), 'not_found');
    expect(fixture.dashboard.lastRequest).toBeUndefined();
  });

  test('compressed is refused; anywhere else, or as anything else, it is a body like others', async () => {
    await expectFetchError(await post('x', { 'content-encoding': 'gzip' }), 'invalid_request');
    const large = Buffer.alloc(10_001);
    await expectFetchError(await post(large, {}, '/api/v1/playground/images'), 'invalid_request');
    await expectFetchError(await post(large, { 'content-type': 'application/json' }), 'invalid_request');
  });

  test('is bounded together with the other forms of its user', async () => {
    const open = Array.from({ length: 32 }, () => begin(`Content-Length: ${MIB}`));
    await until(async () => (await fixture.bodyBytes()) === 32 * 512 * 1024);
    await expectFetchError(await post('x'), 'rate_limited');
    for (const { socket } of open) socket.destroy();
    await expectNothingLeft();
    expect((await post('x')).status).toBe(200);
  });
});

describe('a caller', () => {
  test('that leaves in the middle is seen to leave', async () => {
    let gone = false;
    fixture.dashboard.handler = (request) => {
      request.on('data', (bytes: Buffer) => {
        takenBytes += bytes.length;
      });
      request.socket.on('close', () => {
        gone = true;
      });
    };
    const connection = begin(`Content-Length: ${MIB}`);
    connection.socket.write(Buffer.alloc(MIB / 2));
    await until(() => takenBytes > 0);
    connection.socket.destroy();
    await until(() => gone);
    await expectNothingLeft();
  });

  test('that stops sending, or trickles, is told and cut off', async () => {
    for (const trickling of [false, true]) {
      const connection = begin('Content-Length: 50000', hasty);
      connection.socket.write('x'.repeat(20_000));
      const trickle = setInterval(() => trickling && connection.socket.write('x'), 20);
      await connection.closed.finally(() => clearInterval(trickle));
      expectRawError(connection.text(), 'invalid_request');
      await expectNothingLeft(hasty);
    }
  });
});

describe('a dashboard', () => {
  test('that takes nothing is internal_error', async () => {
    hasty.dashboard.handler = () => undefined;
    const connection = begin(`Content-Length: ${MAX_BYTES}`, hasty);
    connection.socket.write(Buffer.alloc(MAX_BYTES));
    await connection.closed;
    expectRawError(connection.text(), 'internal_error');
    await expectNothingLeft(hasty);
  });

  test('that answers before the form is whole is heard, and the rest is read away', async () => {
    fixture.dashboard.handler = (request, response) => {
      request.resume();
      const headers = { 'content-type': 'application/json', 'content-length': '12' };
      response.writeHead(400, headers).end('{"error":{}}');
    };
    const body = Buffer.alloc(MAX_BYTES);
    for (let at = 0; at < 5; at += 1) {
      const reply = await post(body);
      expect([reply.status, await reply.text()]).toEqual([400, '{"error":{}}']);
    }
    const connection = begin('Content-Length: 50000');
    connection.socket.write(Buffer.alloc(20_000));
    await until(() => connection.text().endsWith('{"error":{}}'));
    connection.socket.write(Buffer.alloc(30_000));
    connection.socket.write('GET /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await connection.closed;
    expect(connection.text().match(/HTTP\/1\.1 \d+/g)).toHaveLength(2);
    await expectNothingLeft();
  });

  test('that has answered keeps nobody who never sends the rest', async () => {
    hasty.dashboard.handler = (request, response) => {
      request.resume();
      response.end('early');
    };
    const connection = begin('Content-Length: 50000', hasty);
    connection.socket.write(Buffer.alloc(20_000));
    await connection.closed;
    expect(connection.text()).toContain('early');
    await expectNothingLeft(hasty);
  });
});
