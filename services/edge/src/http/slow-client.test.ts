import { until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectRawError } from '../testing/expect-error';
import { connectRaw, parseReply, sendRaw } from '../testing/raw-client';

let fixture: EdgeFixture;
beforeAll(async () => {
  fixture = await startEdgeFixture({ EDGE_HEADER_TIMEOUT_MS: '300', EDGE_BODY_TIMEOUT_MS: '300' });
});
afterAll(() => fixture.stop());

const HEAD = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`;
const send = (bytes: string) => sendRaw(fixture.apiPort, bytes);

describe('a slow client', () => {
  test('that does not finish its headers gets invalid_request and is disconnected', async () => {
    expectRawError(await send('POST /v1/chat/completions HTTP/1.1\r\nHost:'), 'invalid_request');
  });

  test('that connects and sends nothing is disconnected', async () => {
    await connectRaw(fixture.apiPort).closed;
  });

  test('that does not finish its body gets invalid_request, and its body memory is released', async () => {
    const text = await send(`${HEAD}Content-Length: 50000\r\n\r\n${'x'.repeat(1_000)}`);
    expectRawError(text, 'invalid_request');
    await until(async () => (await fixture.bodyBytes()) === 0);
  });

  test('that does not finish a chunked body gets invalid_request', async () => {
    expectRawError(await send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n`), 'invalid_request');
  });

  test('of the dashboard gets invalid_request', async () => {
    const head = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const text = await sendRaw(fixture.dashboardPort, `${head}Content-Length: 1000\r\n\r\n{`);
    expectRawError(text, 'invalid_request');
    expect(fixture.dashboard.lastRequest).toBeUndefined();
  });
});

describe('a request body', () => {
  let withProgressTimeout: EdgeFixture;
  beforeAll(async () => {
    withProgressTimeout = await startEdgeFixture({ EDGE_BODY_PROGRESS_MS: '400' });
  });
  afterAll(() => withProgressTimeout.stop());

  test('that stops arriving is rejected long before the body timeout', async () => {
    const bytes = `${HEAD}Content-Length: 50000\r\n\r\n${'x'.repeat(49_990)}`;
    expectRawError(await sendRaw(withProgressTimeout.apiPort, bytes), 'invalid_request');
    await until(async () => (await withProgressTimeout.bodyBytes()) === 0);
  });

  test('that arrives too slowly is rejected', async () => {
    const connection = connectRaw(withProgressTimeout.apiPort);
    connection.socket.write(`${HEAD}Content-Length: 50000\r\n\r\n`);
    const trickle = setInterval(() => connection.socket.write('x'), 20);
    await connection.closed.finally(() => clearInterval(trickle));
    expectRawError(connection.text(), 'invalid_request');
  });

  test('that arrives steadily is accepted, however long it takes', async () => {
    const connection = connectRaw(withProgressTimeout.apiPort);
    connection.socket.write(`${HEAD}Connection: close\r\nContent-Length: 50000\r\n\r\n`);
    let parts = 0;
    const flow = setInterval(() => {
      connection.socket.write('x'.repeat(2_000));
      parts += 1;
      if (parts === 25) clearInterval(flow);
    }, 40);
    await connection.closed.finally(() => clearInterval(flow));
    expect(parseReply(connection.text()).status).toBe(200);
  });
});
