import { Quota } from '@gateway/quota';
import { UpstreamError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { openAiProvider } from '../providers/openai/openai-provider';
import { QUIRKS } from '../providers/openai/quirks';
import { beginStream, type StreamOpening } from './begin-stream';

const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const ROLE = chunk({ role: 'assistant', content: '' });
const CHUNK = chunk({ content: 'a' });
const DONE = 'data: [DONE]\n\n';
const provider = openAiProvider(
  {
    id: 'a',
    baseUrl: 'http://provider.invalid/v1',
    apiKey: 'k',
    quirks: QUIRKS.common,
    encoding: 'o200k',
    countsByO200k: true,
  },
  new Quota({ limit: 1_000 }),
);

/** Returns a reply in these chunks, and whether its reader has released it. */
function reply(pieces: readonly (string | Promise<string>)[], failure?: Error) {
  const seen = { released: false };
  async function* read(): AsyncGenerator<Buffer> {
    try {
      for (const piece of pieces) yield Buffer.from(await piece);
      if (failure) throw failure;
    } finally {
      seen.released = true;
    }
  }
  return { body: read(), seen };
}

const begin = (
  body: AsyncIterable<Buffer>,
  {
    holdMs = 60_000,
    beginMs = 1_000,
    caller = new AbortController().signal,
    from = provider as StreamOpening['provider'],
    headers = {} as StreamOpening['headers'],
  } = {},
) => {
  const nowMs = performance.now();
  return beginStream(body, {
    provider: from,
    headers,
    beginByMs: nowMs + beginMs,
    bufferUntilMs: nowMs + holdMs,
    caller,
  });
};

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const bytes of body) text += bytes.toString();
  return text;
}

describe('a stream that begins', () => {
  test.each([
    ['in one piece', [`${ROLE}${CHUNK}${CHUNK}data: [DO`, 'NE]\n\n']],
    ['byte by byte', [...`${ROLE}: wait\n\n${CHUNK}${CHUNK}${DONE}`]],
  ])('is passed on unchanged when it arrives %s', async (_name, pieces) => {
    expect(await textOf(await begin(reply(pieces).body))).toBe(pieces.join(''));
  });

  test('with comments continues without them', async () => {
    const { body } = reply([': wait\n\n: wait', `\n\n${CHUNK}: wait\n\n`, CHUNK]);
    expect(await textOf(await begin(body))).toBe(`${CHUNK}: wait\n\n${CHUNK}`);
  });

  test('releases the reply when its reader stops early', async () => {
    const { body, seen } = reply([CHUNK, CHUNK, CHUNK]);
    for await (const _bytes of await begin(body)) break;
    expect(seen.released).toBe(true);
  });
});

describe('a stream is buffered', () => {
  /** Leaves the stream open, because ending it would wait for a chunk that never arrives. */
  const firstOf = async (body: AsyncIterable<Buffer>): Promise<string> =>
    `${(await body[Symbol.asyncIterator]().next()).value}`;

  test('until its first content and no longer', async () => {
    const { promise: never } = Promise.withResolvers<string>();
    const { body } = reply([ROLE, chunk({}), ROLE, CHUNK, never]);
    expect(await firstOf(await begin(body))).toBe(ROLE + chunk({}) + ROLE + CHUNK);
  });

  test('until it is complete when it has no content', async () => {
    const pieces = [ROLE, 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n', DONE];
    expect(await firstOf(await begin(reply(pieces).body))).toBe(pieces.join(''));
  });

  test.each([
    ['', ROLE],
    ['\n\n', `${ROLE}: bye\n\n`],
  ])('until it ends after its finish reason and %j', async (blankLine, before) => {
    const finish = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}${blankLine}`;
    expect(await textOf(await begin(reply([before, finish]).body))).toBe(before + finish);
  });

  test('until it is complete even if the last event lacks its blank line', async () => {
    expect(await textOf(await begin(reply([ROLE, 'data: [DONE]']).body))).toBe(`${ROLE}data: [DONE]`);
  });

  test('for a limited time, and loses nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const begun = await begin(reply([ROLE, promise]).body, { holdMs: 5 });
    resolve(CHUNK);
    expect(await textOf(begun)).toBe(ROLE + CHUNK);
  });

  test('only until its first event once the time is over', async () => {
    const { promise: never } = Promise.withResolvers<string>();
    const body = reply([': wait\n\n', ROLE, never]).body;
    expect(await firstOf(await begin(body, { holdMs: -1 }))).toBe(ROLE);
  });

  test('up to a limited size', async () => {
    const many = Array.from({ length: 10_000 }, () => ROLE);
    const held = await firstOf(await begin(reply(many).body));
    expect(held.length).toBeGreaterThan(64 * 1024);
    expect(held.length).toBeLessThan(66 * 1024);
  });

  test.each([
    ['ends', undefined],
    ['fails', new Error('reset')],
  ])(
    'only until its client disconnects; a stream that then %s is passed on for billing',
    async (_how, failure) => {
      const caller = new AbortController();
      const begun = begin(reply([ROLE], failure).body, { caller: caller.signal });
      caller.abort();
      const read = textOf(await begun);
      if (failure) await expect(read).rejects.toThrow('reset');
      else expect(await read).toBe(ROLE);
    },
  );
});

describe('a stream is rejected before its first event', () => {
  test.each([
    ['by its end', []],
    ['by its end within an event', ['data: {"choi']],
    ['with an error', ['data: {"error":{"message":"overloaded"}}\n\n']],
    ['with an error of another kind', ['data: {"object":"error","message":"overloaded"}\n\n']],
    ['with an error known by its event name only', ['event: error\ndata: {"message":"overloaded"}\n\n']],
    ['with an immediate end marker', ['data: [DONE]\n\n']],
    ['with invalid JSON', ['data: <html>\n\n']],
    ['with a bare value', ['data: 7\n\n']],
  ])('that fails %s', async (_name, pieces) => {
    const { body, seen } = reply(pieces);
    await expect(begin(body)).rejects.toThrow(/stream (ended|begins)/);
    expect(seen.released).toBe(true);
  });

  test('with the error of its connection', async () => {
    await expect(begin(reply([': wait\n\n'], new Error('reset')).body)).rejects.toThrow('reset');
  });
});

describe('a stream is rejected before its first content', () => {
  test.each([
    ['by its end', [ROLE]],
    ['by its end within its first content', [ROLE, CHUNK.slice(0, -9)]],
    ['by its end before the blank line of its first content', [ROLE, CHUNK.slice(0, -1)]],
    ['with invalid JSON', [ROLE, 'data: {broken\n\n']],
    ['with an error without a status', [ROLE, 'data: {"error":{"message":"down"}}\n\n']],
    ['with an error in the same chunk', [`${ROLE}event: error\ndata: {"message":"down"}\n\n${CHUNK}`]],
    [
      'with a finish reason that reports an error',
      [ROLE, 'data: {"choices":[{"delta":{},"finish_reason":"error"}]}\n\n'],
    ],
  ])('that fails %s', async (_name, pieces) => {
    const { body, seen } = reply(pieces);
    await expect(begin(body)).rejects.toThrow(/stream (ended|begins)|failure/);
    expect(seen.released).toBe(true);
  });

  test('with the error of its connection', async () => {
    await expect(begin(reply([ROLE], new Error('reset')).body)).rejects.toThrow('reset');
  });

  test.each([
    [
      { type: 'invalid_request_error', message: 'too long' },
      { status: 400, message: 'too long' },
    ],
    [{ code: 429, message: 'slow down' }, { status: 429 }],
    [{ type: 'insufficient_quota', code: 'insufficient_quota', message: 'x' }, { status: 402 }],
    [{ type: 'server_error', message: 'x' }, { status: 500 }],
  ])('with the status of the error event %j', async (error, failure) => {
    const failed = begin(reply([ROLE, `data: ${JSON.stringify({ error })}\n\n`]).body);
    await expect(failed).rejects.toBeInstanceOf(UpstreamError);
    await expect(failed).rejects.toMatchObject({ failure });
  });

  test.each([
    ['its message', 'Please try again in 11.05s.', 12],
    ['the headers of the response', 'slow down', 42],
  ])('with the wait of a rate limit from %s', async (_where, message, retryAfterSeconds) => {
    const headers = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '42s' };
    const event = `data: ${JSON.stringify({ error: { code: 'rate_limit_exceeded', message } })}\n\n`;
    const failure = { status: 429, retryAfterSeconds };
    await expect(begin(reply([ROLE, event]).body, { headers })).rejects.toMatchObject({ failure });
  });
});

test('a response that fails before its content has not begun, however long the instructions are that it repeats', async () => {
  const from = { ...provider, ...provider.responses!('account') };
  const event = (type: string, response: object) =>
    `event: response.${type}\ndata: ${JSON.stringify({ type: `response.${type}`, response })}\n\n`;
  const instructions = 'x'.repeat(200_000);
  const pieces = [
    event('created', { instructions }),
    event('in_progress', { instructions }),
    event('failed', { error: { code: 'rate_limit_exceeded', message: 'Please try again in 3.2s.' } }),
  ];
  const failure = { status: 429, retryAfterSeconds: 4 };
  await expect(begin(reply(pieces).body, { from })).rejects.toMatchObject({ failure });
});
