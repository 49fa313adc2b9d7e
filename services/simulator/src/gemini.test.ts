import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Fixture, sim } from './server.fixture';

let simulator: Fixture;
beforeAll(async () => {
  simulator = await Fixture.start();
});
afterAll(() => simulator.stop());

interface Chunk {
  candidates?: {
    content: { parts: { text?: string; functionCall?: object }[] };
    finishReason?: string;
    index: number;
  }[];
  usageMetadata: Record<string, number>;
}

const generate = (directive: object, more: object = {}, id = 'x') =>
  simulator.generate('generateContent', sim(directive), more, { 'x-request-id': id });

const stream = (directive: object, more: object = {}, id = 'x') =>
  simulator.generate('streamGenerateContent?alt=sse', sim(directive), more, { 'x-request-id': id });

const chunksOf = (text: string) =>
  text
    .split('\r\n\r\n')
    .flatMap((frame) => (frame === '' ? [] : [JSON.parse(frame.replace('data: ', '')) as Chunk]));

describe('streams', () => {
  test('every chunk reports the usage so far, the last chunk the finish reason', async () => {
    const directive = { thinking: 'hm well', text: 'one two three' };
    const config = { thinkingConfig: { includeThoughts: true } };
    const chunks = chunksOf(await (await stream(directive, { generationConfig: config })).text());
    expect(
      chunks.map(({ usageMetadata: { thoughtsTokenCount = 0, candidatesTokenCount = 0 } }) => [
        thoughtsTokenCount,
        candidatesTokenCount,
      ]),
    ).toEqual([
      [1, 0],
      [2, 0],
      [2, 1],
      [2, 2],
      [2, 3],
      [2, 3],
    ]);
    expect(chunks.map(({ candidates }) => candidates?.[0]?.finishReason)).toEqual([
      ...Array.from({ length: 5 }, () => undefined),
      'STOP',
    ]);
  });

  test('a function call arrives complete in a separate chunk', async () => {
    const chunks = chunksOf(
      await (await stream({ tool_call: { name: 'f', arguments: { a: [1, 2, 3] } }, chunks: 9 })).text(),
    );
    const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content.parts ?? []);
    expect(parts.filter(({ functionCall }) => functionCall)).toEqual([
      { functionCall: { name: 'f', args: { a: [1, 2, 3] } }, thoughtSignature: expect.any(String) },
    ]);
  });

  test('chunks of candidates alternate', async () => {
    const chunks = chunksOf(
      await (await stream({ text: 'one two' }, { generationConfig: { candidateCount: 2 } })).text(),
    );
    expect(chunks.map(({ candidates }) => candidates?.[0]?.index)).toEqual([0, 1, 0, 1, 0, 1]);
    expect(chunks.at(-1)?.usageMetadata.candidatesTokenCount).toBe(4);
  });

  test.each([0, 1, 4])('a stream cut after %d chunks is billed as its last chunk reported', async (drop) => {
    const id = `generate-drop-${drop}`;
    const usage = { completion_tokens: 100, reasoning_tokens: 10 };
    const response = await stream(
      { text: 'one two three four five', drop_after_chunks: drop, usage },
      {},
      id,
    );
    let text = '';
    const read = async () => {
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>)
        text += Buffer.from(part);
    };
    await expect(read()).rejects.toThrow('terminated');
    const told = chunksOf(text).at(-1)?.usageMetadata ?? {};
    const { candidatesTokenCount = 0, thoughtsTokenCount = 0 } = told;
    expect(await simulator.entryOf(id)).toMatchObject({
      provider: 'gemini',
      completion_tokens: candidatesTokenCount + thoughtsTokenCount,
      finished: false,
    });
    expect(candidatesTokenCount).toBe([0, 18, 0, 0, 72][drop]);
  });

  test('an error during a stream is a separate frame', async () => {
    const text = await (await stream({ text: 'one two', stream_error: true, drop_after_chunks: 1 })).text();
    expect(chunksOf(text)).toMatchObject([
      { candidates: [{}] },
      { error: { code: 503, status: 'UNAVAILABLE' } },
    ]);
  });

  test('a stream without alt=sse is refused', async () => {
    expect((await simulator.generate('streamGenerateContent', 'hi')).status).toBe(400);
  });
});

test('usage has Google’s names and is metered, without cache writes', async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 40, cached_tokens: 50, reasoning_tokens: 15 };
  const response = await generate({ usage: { ...usage, cache_write_tokens: 9 } }, {}, 'generate-usage');
  expect(await response.json()).toMatchObject({
    usageMetadata: {
      promptTokenCount: 100,
      cachedContentTokenCount: 50,
      candidatesTokenCount: 25,
      thoughtsTokenCount: 15,
      totalTokenCount: 140,
    },
  });
  expect(await simulator.entryOf('generate-usage')).toMatchObject({
    provider: 'gemini',
    model: 'm',
    ...usage,
    cache_write_tokens: 0,
  });
});

test.each([
  [{}, {}, 'STOP'],
  [{ finish_reason: 'content_filter' }, {}, 'SAFETY'],
  [{}, { maxOutputTokens: 3 }, 'MAX_TOKENS'],
  [{ text: 'one two' }, { stopSequences: ['two'] }, 'STOP'],
  [{ tool_call: { name: 'f' } }, {}, 'STOP'],
  [{ tool_call: { name: 'f', arguments: '{"a":' } }, {}, 'MALFORMED_FUNCTION_CALL'],
  [{ tool_call: { name: 'f', arguments: { a: 'one two three' } } }, { maxOutputTokens: 3 }, 'MAX_TOKENS'],
])('%j with %j ends with %s', async (directive, generationConfig, finishReason) => {
  expect(await (await generate(directive, { generationConfig })).json()).toMatchObject({
    candidates: [{ finishReason, content: { role: 'model' } }],
  });
});

test('a prompt that the content policy refuses is answered without candidates and billed', async () => {
  for (const call of [generate, stream]) {
    const response = await call({ policy: true, usage: { prompt_tokens: 50 } }, {}, 'blocked');
    expect(response.status).toBe(200);
    const [body] = chunksOf(await response.text());
    expect(body).toMatchObject({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 50, totalTokenCount: 50 },
    });
    expect(body).not.toHaveProperty('candidates');
  }
  expect(await simulator.entryOf('blocked')).toMatchObject({ prompt_tokens: 50, completion_tokens: 0 });
});

describe('a failure', () => {
  test.each([
    [{ status: 400 }, 'INVALID_ARGUMENT'],
    [{ status: 422 }, 'INVALID_ARGUMENT'],
    [{ status: 403 }, 'PERMISSION_DENIED'],
    [{ status: 404 }, 'NOT_FOUND'],
    [{ status: 429 }, 'RESOURCE_EXHAUSTED'],
    [{ status: 500 }, 'INTERNAL'],
    [{ status: 503 }, 'UNAVAILABLE'],
  ])('%j has the expected status', async (directive, status) => {
    const response = await generate(directive);
    expect(response.status).toBe(directive.status);
    const message = expect.any(String);
    expect(await response.json()).toEqual({ error: { code: directive.status, message, status } });
  });

  test('reports the time to wait in the body', async () => {
    const response = await generate({ status: 429, retry_after: 7 });
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await response.json()).toMatchObject({
      error: { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }] },
    });
  });

  test.each([
    ['a call without a key', '', { 'x-goog-api-key': '' }, 403],
    ['a call with a key in the query', '?key=k', { 'x-goog-api-key': '' }, 200],
    ['a call with a wrong key', '', { 'x-goog-api-key': 'invalid' }, 400],
  ])('%s', async (_, query, headers, status) => {
    expect((await simulator.generate(`generateContent${query}`, 'hi', {}, headers)).status).toBe(status);
  });

  test('unknown paths and methods are refused', async () => {
    const headers = { 'x-goog-api-key': 'k' };
    const get = (path: string) => fetch(`${simulator.url}/gemini${path}`, { headers });
    expect((await simulator.generate('embedContent', 'hi')).status).toBe(404);
    expect((await get('/v1beta/models/m:generateContent')).status).toBe(404);
    expect((await get('/v1beta/nothing')).status).toBe(404);
    expect(await (await get('/v1beta/models/m')).json()).toMatchObject({ name: 'models/m' });
  });
});
