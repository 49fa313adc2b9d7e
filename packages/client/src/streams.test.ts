import { describe, expect, test } from '@jest/globals';
import { type Answer, failed, fakeGateway, streamed } from './client.fixture.ts';
import type { StreamOptions } from './options.ts';
import { readEventData } from './server-sent-events.ts';

const CHAT = { model: 'a/x', messages: [{ role: 'user', content: 'hi' }] };
const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const ERROR = `data: ${JSON.stringify({ error: { type: 'upstream_error', code: 'upstream_failed', message: 'm' } })}\n\n`;

async function readChat(answers: readonly Answer[], options: StreamOptions = {}) {
  const { client, sent, waits } = fakeGateway(answers);
  const read: string[] = [];
  let error: unknown;
  try {
    for await (const { choices } of client.chat.stream(CHAT, options))
      read.push(`${choices[0]?.delta.content}`);
  } catch (thrown) {
    error = thrown;
  }
  return { read, error, sent, waits };
}

describe('a stream', () => {
  test('yields its chunks up to the last event', async () => {
    const { read, error, sent } = await readChat([
      () => streamed([': comment\n\n', chunk('a') + chunk('b'), DONE]),
    ]);
    expect({ read, error }).toEqual({ read: ['a', 'b'], error: undefined });
    expect(sent[0]!.body).toEqual({ ...CHAT, stream: true });
  });

  test('is complete although its connection breaks after the last event', async () => {
    expect((await readChat([() => streamed([chunk('a'), DONE], true)])).error).toBeUndefined();
  });

  test.each<[string, () => Response]>([
    ['ends before its last event', () => streamed([chunk('a')])],
    ['ends within an event', () => streamed([chunk('a'), 'data: {"choi'])],
    ['breaks off', () => streamed([chunk('a')], true)],
    ['sends no JSON', () => streamed([chunk('a'), 'data: {"choi\n\n'])],
    ['sends an error', () => streamed([chunk('a'), ERROR])],
  ])('that %s throws upstream_failed, unless it may be sent again as a whole', async (_when, broken) => {
    const whole = () => streamed([chunk('b'), DONE]);
    const thrown = await readChat([broken, whole]);
    expect(thrown).toMatchObject({ read: ['a'], waits: [] });
    expect(thrown.error).toMatchObject({ code: 'upstream_failed', requestId: 'req-stream' });
    const restarts: unknown[] = [];
    const { read, error, waits, sent } = await readChat([broken, whole], {
      onRestart: ({ code }) => restarts.push(code),
    });
    expect({ read, error, waits, restarts }).toEqual({
      ...{ read: ['a', 'b'], error: undefined, waits: [1_000], restarts: ['upstream_failed'] },
    });
    expect(sent[1]).toEqual(sent[0]);
  });

  test('that breaks before its first chunk is sent again', async () => {
    const { read, waits } = await readChat([
      () => streamed([], true),
      failed('upstream_failed'),
      () => streamed([chunk('b'), DONE]),
    ]);
    expect({ read, waits }).toEqual({ read: ['b'], waits: [1_000, 2_000] });
  });

  test('that breaks each time is sent four times', async () => {
    const { sent, error } = await readChat([() => streamed([chunk('a')], true)], { onRestart: () => {} });
    expect(sent).toHaveLength(4);
    expect(error).toMatchObject({ attempts: 4 });
  });

  test('that a proxy answers with a page is not sent again', async () => {
    const { sent, error } = await readChat([() => new Response('<h1>Hello</h1>')]);
    expect(sent).toHaveLength(1);
    expect(error).toMatchObject({ code: 'unexpected_response' });
  });

  test('without a byte for too long counts as broken', async () => {
    const silent = ({ signal }: RequestInit) =>
      new Response(
        new ReadableStream({
          start: (controller) => signal!.addEventListener('abort', () => controller.error(signal!.reason)),
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    const { read } = await readChat([silent, () => streamed([chunk('b'), DONE])], { idleMs: 20 });
    expect(read).toEqual(['b']);
  });

  test('is not broken by a reader that takes longer than the idle time', async () => {
    const { client } = fakeGateway([() => streamed([chunk('a'), chunk('b'), DONE])]);
    let read = 0;
    for await (const _chunk of client.chat.stream(CHAT, { idleMs: 20 })) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      read += 1;
    }
    expect(read).toBe(2);
  });

  test('ends its request when the loop is left', async () => {
    let signal: AbortSignal | null | undefined;
    const { client } = fakeGateway([
      (init) => {
        signal = init.signal;
        return streamed([chunk('a'), chunk('b'), DONE]);
      },
    ]);
    for await (const _chunk of client.chat.stream(CHAT)) break;
    expect(signal?.aborted).toBe(true);
  });

  test('of messages ends with message_stop', async () => {
    const event = (type: string) => `event: ${type}\ndata: {"type":"${type}"}\n\n`;
    const { client } = fakeGateway([() => streamed([event('message_start'), event('message_stop')])]);
    const types: string[] = [];
    for await (const { type } of client.messages.stream({ ...CHAT, max_tokens: 9 })) types.push(type);
    expect(types).toEqual(['message_start', 'message_stop']);
    const broken = fakeGateway([() => streamed([event('message_start')])]);
    const first = broken.client.messages.stream({ ...CHAT, max_tokens: 9 });
    await first.next();
    await expect(first.next()).rejects.toMatchObject({ code: 'upstream_failed' });
  });
});

describe('server-sent events', () => {
  const STREAM =
    '\uFEFF: c\r\n\r\ndata: a\r\ndata:b\r\n\r\nevent: x\ndata: é\n\nid: 1\n\ndata: c\r\rdata\ndata: unfinished';

  test.each([1, 2, 3, 7, 1_000])('are read in pieces of %i characters', async (size) => {
    async function* pieces() {
      for (let at = 0; at < STREAM.length; at += size) yield STREAM.slice(at, at + size);
    }
    const read: string[] = [];
    for await (const data of readEventData(pieces())) read.push(data);
    expect(read).toEqual(['a\nb', 'é', 'c']);
  });

  test('have a bound, in one line or many', async () => {
    async function* endless(piece: string) {
      for (;;) yield piece;
    }
    const read = async (piece: string) => {
      for await (const _data of readEventData(endless(piece)));
    };
    const tooLong = { code: 'unexpected_response' };
    await expect(read('x'.repeat(1024 * 1024))).rejects.toMatchObject(tooLong);
    await expect(read(`data: ${'x'.repeat(1024 * 1024)}\n`)).rejects.toMatchObject(tooLong);
  });
});
