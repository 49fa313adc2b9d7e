import { LINK_REPLY_WINDOW_BYTES, LINK_SLICE_BYTES } from '@gateway/link';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError } from '../testing/expect-error';
import { FakeChat } from '../testing/fake-chat';
import { connectRaw } from '../testing/raw-client';

let fixture: EdgeFixture;
const TIMEOUT_MS = 300;
/** An edge with a short call timeout. */
let impatient: EdgeFixture;
beforeAll(async () => {
  fixture = await startEdgeFixture({ EDGE_STALL_TIMEOUT_MS: '300' });
  impatient = await startEdgeFixture({ EDGE_CALL_TIMEOUT_MS: String(TIMEOUT_MS) });
});
afterAll(async () => {
  await fixture.stop();
  await impatient.stop();
});

const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
const SSE = { 'content-type': 'text/event-stream' };
const call = (signal?: AbortSignal, { apiUrl } = fixture) =>
  fetch(`${apiUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: HEADERS,
    body: '{}',
    ...(signal ? { signal } : {}),
  });
const RAW_CALL = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;

/** Returns a stream and functions that write to it. */
function feed() {
  const queue: (Buffer | Error | undefined)[] = [];
  let wake: () => void = () => undefined;
  const put = (item: string | Error | undefined) => {
    queue.push(typeof item === 'string' ? Buffer.from(item) : item);
    wake();
  };
  async function* body(): AsyncGenerator<Buffer> {
    for (;;) {
      while (queue.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const item = queue.shift();
      if (item === undefined) return;
      if (item instanceof Error) throw item;
      yield item;
    }
  }
  return { put, end: () => put(undefined), body: body() };
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return Buffer.from(value ?? []).toString();
}

describe('a stream', () => {
  test('relays its headers and each event unchanged as soon as they arrive', async () => {
    const source = feed();
    const headers = { ...SSE, 'x-accel-buffering': 'no', server: 'a secret' };
    fixture.chat.handler = async () => ({ status: 200, headers, body: source.body });
    const reply = await call();
    expect(reply.headers.get('content-type')).toBe('text/event-stream');
    expect(reply.headers.get('x-accel-buffering')).toBe('no');
    expect(reply.headers.get('server')).toBeNull();
    const reader = reply.body!.getReader();
    for (const event of ['data: {"a":1}\n\n', ': comment\n\n', 'data: [DONE]\n\n']) {
      source.put(event);
      expect(await read(reader)).toBe(event);
    }
    source.end();
    expect((await reader.read()).done).toBe(true);
  });

  test('that fails between events ends with an error event', async () => {
    const source = feed();
    fixture.chat.handler = async () => ({ status: 200, headers: SSE, body: source.body });
    source.put('data: {"a":1}\n\n');
    source.put(new Error('broken'));
    const text = await (await call()).text();
    const [, last = ''] = text.split('\n\n');
    expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({ error: { code: 'upstream_failed' } });
    expect(text).not.toContain('[DONE]');
  });

  test('that fails within an event, or is not an event stream, is cut off', async () => {
    for (const headers of [SSE, { 'content-type': 'application/json' }]) {
      const source = feed();
      fixture.chat.handler = async () => ({ status: 200, headers, body: source.body });
      source.put('data: {"a"');
      source.put(new Error('broken'));
      await expect(call().then((reply) => reply.text())).rejects.toThrow();
    }
  });

  test('that has begun in time may run longer than the call timeout', async () => {
    const source = feed();
    impatient.chat.handler = async () => ({ status: 200, headers: SSE, body: source.body });
    source.put('data: {}\n\n');
    const reply = await call(undefined, impatient);
    setTimeout(() => {
      source.put('data: [DONE]\n\n');
      source.end();
    }, 3 * TIMEOUT_MS);
    expect(await reply.text()).toBe('data: {}\n\ndata: [DONE]\n\n');
  });
});

test('a call without response headers within the timeout is canceled with internal_error', async () => {
  let aborted = false;
  impatient.chat.handler = async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    aborted = true;
    throw new Error('aborted');
  };
  await expectFetchError(await call(undefined, impatient), 'internal_error');
  await until(() => aborted);
});

describe('a client that disconnects', () => {
  test('before the response headers cancels its call', async () => {
    let signalSeen: AbortSignal | undefined;
    fixture.chat.handler = async ({ signal }) => {
      signalSeen = signal;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new Error('aborted');
    };
    const abort = new AbortController();
    const reply = call(abort.signal);
    await until(() => signalSeen !== undefined);
    abort.abort();
    await expect(reply).rejects.toThrow();
    await until(() => signalSeen?.aborted === true && fixture.chat.links.callsInFlight === 0);
  });

  test('during a stream cancels its call', async () => {
    let signalSeen: AbortSignal | undefined;
    const source = feed();
    fixture.chat.handler = async ({ signal }) => {
      signalSeen = signal;
      return { status: 200, headers: SSE, body: source.body };
    };
    const abort = new AbortController();
    const reply = await call(abort.signal);
    source.put('data: {}\n\n');
    await read(reply.body!.getReader());
    abort.abort();
    await until(() => signalSeen?.aborted === true);
    source.end();
    await until(() => fixture.chat.links.callsInFlight === 0);
  });
});

describe('a client that does not read', () => {
  test('holds back only its own reply and is disconnected after a timeout', async () => {
    const chunk = Buffer.alloc(LINK_SLICE_BYTES, 'x');
    let sentBytes = 0;
    let aborted = false;
    fixture.chat.handler = async ({ signal }) => ({
      status: 200,
      headers: SSE,
      body: (async function* () {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        while (!signal.aborted && sentBytes < 200 * 1024 * 1024) {
          sentBytes += chunk.length;
          yield chunk;
        }
      })(),
    });
    const connection = connectRaw(fixture.apiPort);
    connection.socket.pause();
    connection.socket.write(RAW_CALL);
    await until(() => aborted);
    // The kernel buffers of both sides add to the window, but stay far below 200 MiB.
    expect(sentBytes).toBeLessThan(LINK_REPLY_WINDOW_BYTES + 32 * 1024 * 1024);
    connection.socket.destroy();
  });
});

describe('when chat is killed', () => {
  test('the call in flight fails, and later calls reach the restarted instance', async () => {
    const second = await FakeChat.start('a-secret-for-tests-only', fixture.log);
    const own = await startEdgeFixture({ CHAT_ADDR: second.address });
    try {
      second.handler = () => new Promise(() => undefined);
      const pending = fetch(`${own.apiUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: HEADERS,
        body: '{}',
      });
      await until(() => second.callCount === 1);
      await second.stop();
      await expectFetchError(await pending, 'internal_error');

      const port = Number(second.address.split(':')[1]);
      const third = await FakeChat.start('a-secret-for-tests-only', fixture.log, port);
      const reply = await fetch(`${own.apiUrl}/v1/models`, { headers: HEADERS });
      expect(reply.status).toBe(200);
      await own.stop();
      await third.stop();
    } finally {
      await own.stop();
    }
  });
});
