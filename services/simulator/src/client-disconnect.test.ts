import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { O200kTokenizer } from './domain/tokenizer';
import { eventsOf, Fixture, sim } from './server.fixture';

const tokenizer = new O200kTokenizer();
let simulator: Fixture;
beforeAll(async () => {
  simulator = await Fixture.start();
});
afterAll(() => simulator.stop());

async function openCall(requestId: string, directive: object, more: object = {}): Promise<Socket> {
  const messages = [{ role: 'user', content: sim(directive) }];
  return open(requestId, '/v1/chat/completions', { model: 'm', stream: true, messages, ...more });
}

async function open(requestId: string, path: string, json: object): Promise<Socket> {
  const body = JSON.stringify(json);
  const socket = connect({ port: simulator.port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  const keys = 'authorization: Bearer k\r\nx-goog-api-key: k\r\nanthropic-version: 2023-06-01\r\n';
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\n${keys}x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

/** Half-closes once `enough` says so of what has come, then reads to the end. */
async function readAndLeave(socket: Socket, enough: (text: string) => boolean): Promise<string> {
  let raw = '';
  let left = false;
  socket.setEncoding('utf8');
  socket.on('data', (part: string) => {
    raw += part;
    if (!left && enough(raw)) {
      left = true;
      socket.end();
    }
  });
  await once(socket, 'end');
  return raw;
}

// Undoes the chunked transfer encoding; only good for ASCII replies.
function bodyOf(raw: string): string {
  let rest = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  let body = '';
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.slice(0, lineEnd), 16);
    if (!(size > 0)) return body;
    body += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    rest = rest.slice(lineEnd + 4 + size);
  }
}

const contentOf = (raw: string) =>
  (eventsOf(bodyOf(raw)) as { choices: { delta: { content?: string } }[] }[]).map(
    ({ choices }) => choices[0]?.delta.content ?? '',
  );

test.each([1, 2, 25])('a half-close after %d chunks meters what the client can read', async (chunks) => {
  const id = `half-${chunks}`;
  const socket = await openCall(id, { chunks: 5_000, chunk_delay_ms: 2 });
  const raw = await readAndLeave(socket, (text) => text.split('"content":"').length > chunks + 1);
  const content = contentOf(raw);
  expect(raw).not.toContain('[DONE]');
  expect(content.length).toBeLessThan(2_000);
  const entry = await simulator.entryOf(id);
  expect(entry).toMatchObject({
    completion_tokens: tokenizer.count(content.join('')),
    finished: false,
    aborted: true,
    status: 200,
  });
  expect(entry.prompt_tokens).toBeGreaterThan(0);
});

const ENDLESS = sim({ chunks: 5_000, chunk_delay_ms: 2 });

test.each([
  {
    provider: 'anthropic',
    path: '/anthropic/v1/messages',
    body: { model: 'm', max_tokens: 9_000, stream: true, messages: [{ role: 'user', content: ENDLESS }] },
    end: 'message_stop',
  },
  {
    provider: 'gemini',
    path: '/gemini/v1beta/models/m:streamGenerateContent?alt=sse',
    body: { contents: [{ parts: [{ text: ENDLESS }] }] },
    end: 'finishReason',
  },
])(
  'half-closed in the stream of $provider: metered is what can be read',
  async ({ provider, path, body, end }) => {
    const socket = await open(provider, path, body);
    const raw = await readAndLeave(socket, (text) => text.split('"text":"').length > 10);
    expect(raw).not.toContain(end);
    const said = [...bodyOf(raw).matchAll(/"text":("(?:[^"\\]|\\.)*")/g)].map(([, json = '""']) =>
      JSON.parse(json),
    );
    expect(await simulator.entryOf(provider)).toMatchObject({
      provider,
      completion_tokens: tokenizer.count(said.join('')),
      finished: false,
      aborted: true,
      status: 200,
    });
  },
);

test('a half-close by a client that does not read ends a stream without delays', async () => {
  const socket = await openCall('stalled', { chunks: 100_000 });
  socket.pause();
  await once(socket, 'readable');
  socket.end();
  const entry = await simulator.entryOf('stalled');
  const content = contentOf(await readAndLeave(socket, () => true));
  expect(entry).toMatchObject({ finished: false, aborted: true });
  expect(entry.completion_tokens).toBe(tokenizer.count(content.join('')));
});

test('usage set by the directive is billed in proportion', async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 10_000 };
  const socket = await openCall('share', { chunks: 1_000, chunk_delay_ms: 2, usage });
  const content = contentOf(await readAndLeave(socket, (text) => text.split('"content":"').length > 10));
  const sent = content.length - 1;
  expect(await simulator.entryOf('share')).toMatchObject({
    prompt_tokens: 1_000,
    completion_tokens: sent * 10,
  });
});

test.each([true, false])('a disconnect before the reply is free (stream: %s)', async (stream) => {
  const id = `early-${stream}`;
  const socket = await openCall(id, { delay_ms: 60_000 }, { stream });
  await inFlight(1);
  socket.end();
  await once(socket.resume(), 'end');
  expect(await simulator.entryOf(id)).toMatchObject({
    status: 0,
    prompt_tokens: 0,
    aborted: true,
    finished: false,
  });
});

test('a socket destroyed mid-stream ends the call', async () => {
  const socket = await openCall('gone', { chunks: 5_000, chunk_delay_ms: 2 });
  await once(socket, 'data');
  socket.resetAndDestroy();
  expect(await simulator.entryOf('gone')).toMatchObject({ aborted: true, finished: false });
  await inFlight(0);
});

test('pipelined calls are answered in order and metered separately', async () => {
  const socket = await openCall('first', { chunks: 50, chunk_delay_ms: 2 });
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] });
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\nx-request-id: second\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await readAndLeave(socket, (text) => text.split('[DONE]').length > 2);
  expect(await simulator.entryOf('first')).toMatchObject({ finished: true, completion_tokens: 50 });
  expect(await simulator.entryOf('second')).toMatchObject({ finished: true });
});

async function inFlight(calls: number): Promise<void> {
  const deadlineMs = Date.now() + 15_000;
  while ((await simulator.meter()).in_flight !== calls) {
    if (Date.now() > deadlineMs) throw new Error('still waiting');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
