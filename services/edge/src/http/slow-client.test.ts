import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectRawError } from '../testing/expect-error';
import { connectRaw, sendRaw } from '../testing/raw-client';
import { until } from '../testing/until';

let fixture: EdgeFixture;
beforeAll(async () => {
  fixture = await startEdgeFixture({ EDGE_HEADER_TIMEOUT_MS: '300', EDGE_BODY_TIMEOUT_MS: '300' });
});
afterAll(() => fixture.stop());

const HEAD = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`;
const send = (bytes: string) => sendRaw(fixture.apiPort, bytes);

describe('a slow client', () => {
  test('with its headers is told and cut off', async () => {
    expectRawError(await send('POST /v1/chat/completions HTTP/1.1\r\nHost:'), 'invalid_request');
  });

  test('that connects and says nothing is cut off', async () => {
    await connectRaw(fixture.apiPort).closed;
  });

  test('with its body is told and cut off, and its bytes are given back', async () => {
    const text = await send(`${HEAD}Content-Length: 50000\r\n\r\n${'x'.repeat(1_000)}`);
    expectRawError(text, 'invalid_request');
    await until(async () => (await fixture.metric('edge_body_bytes')) === 0);
  });

  test('with a chunked body is told too', async () => {
    expectRawError(await send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n`), 'invalid_request');
  });
});
