import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Fixture, namedEventsOf, sim } from './server.fixture';

let simulator: Fixture;
beforeAll(async () => {
  simulator = await Fixture.start();
});
afterAll(() => simulator.stop());

const streamed = async (directive: object, more: object = {}) =>
  namedEventsOf(await (await simulator.messages(sim(directive), { stream: true, ...more })).text());

describe('streams', () => {
  test('content blocks have consecutive indexes', async () => {
    const events = await streamed({
      thinking: 'hm well',
      text: 'one two',
      tool_call: { name: 'f', arguments: { a: 1 } },
    });
    expect(events.every(({ event, data }) => data.type === event)).toBe(true);
    const outline = events.map(({ event, data }) =>
      `${event} ${data.index ?? ''} ${data.delta?.type ?? ''}`.trim(),
    );
    const deltas = (index: number, type: string, count: number) =>
      Array.from({ length: count }, () => `content_block_delta ${index} ${type}`);
    const args = outline.filter((line) => line.endsWith('input_json_delta')).length;
    expect(outline).toEqual([
      'message_start',
      'ping',
      'content_block_start 0',
      ...deltas(0, 'thinking_delta', 2),
      ...deltas(0, 'signature_delta', 1),
      'content_block_stop 0',
      'content_block_start 1',
      ...deltas(1, 'text_delta', 2),
      'content_block_stop 1',
      'content_block_start 2',
      ...deltas(2, 'input_json_delta', args),
      'content_block_stop 2',
      'message_delta',
      'message_stop',
    ]);
    expect(args).toBeGreaterThan(2);
  });

  test('an empty reply has no content block', async () => {
    const events = await streamed({ text: '' });
    expect(events.map(({ event }) => event)).toEqual([
      'message_start',
      'ping',
      'message_delta',
      'message_stop',
    ]);
  });

  test('an error during a stream is an event, and the sent part is billed', async () => {
    const directive = { text: 'one two three four', stream_error: 'so it goes', drop_after_chunks: 2 };
    const response = await simulator.messages(sim(directive), { stream: true }, { 'x-request-id': 'broken' });
    const last = namedEventsOf(await response.text()).at(-1);
    expect(last).toMatchObject({
      event: 'error',
      data: { type: 'error', error: { type: 'overloaded_error', message: 'so it goes' } },
    });
    expect(await simulator.entryOf('broken')).toMatchObject({
      status: 200,
      completion_tokens: 2,
      finished: false,
      aborted: false,
    });
  });

  test.each([0, 3])('a stream cut after %d chunks is billed up to there', async (drop) => {
    const id = `messages-drop-${drop}`;
    const prompt = sim({ drop_after_chunks: drop, text: 'one two three four five' });
    const response = await simulator.messages(prompt, { stream: true }, { 'x-request-id': id });
    await expect(response.text()).rejects.toThrow('terminated');
    expect(await simulator.entryOf(id)).toMatchObject({ completion_tokens: drop, finished: false });
  });
});

test('usage has Anthropic’s names in replies and at the end of streams, and is metered', async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 40,
    cached_tokens: 50,
    cache_write_tokens: 30,
    reasoning_tokens: 15,
  };
  const content = [{ type: 'text', text: sim({ usage }), cache_control: { type: 'ephemeral', ttl: '1h' } }];
  const response = await simulator.messages(content, {}, { 'x-request-id': 'usage' });
  const told = {
    input_tokens: 20,
    cache_read_input_tokens: 50,
    cache_creation_input_tokens: 30,
    output_tokens: 40,
    output_tokens_details: { thinking_tokens: 15 },
  };
  const kept = { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 30 } };
  expect(await response.json()).toMatchObject({ usage: { ...told, ...kept } });
  expect(await simulator.entryOf('usage')).toMatchObject({ provider: 'anthropic', model: 'm', ...usage });

  const events = await streamed({ usage });
  expect(events[0]?.data).toMatchObject({
    message: { usage: { ...told, output_tokens: 1, output_tokens_details: { thinking_tokens: 0 } } },
  });
  expect(events.at(-2)?.data).toMatchObject({ usage: told });
});

test.each([
  [{}, {}, { stop_reason: 'end_turn', stop_sequence: null }],
  [{}, { max_tokens: 3 }, { stop_reason: 'max_tokens', usage: { output_tokens: 3 } }],
  [
    { text: 'one two three' },
    { stop_sequences: ['x', ' tw'] },
    { stop_reason: 'stop_sequence', stop_sequence: ' tw', content: [{ text: 'one' }] },
  ],
  [{ finish_reason: 'content_filter' }, {}, { stop_reason: 'refusal', stop_details: { type: 'refusal' } }],
  [{ thinking: 'hm' }, { thinking: { type: 'disabled' } }, { content: [{ type: 'text' }] }],
])('%j of %j ends with the expected stop reason', async (directive, more, expected) => {
  expect(await (await simulator.messages(sim(directive), more)).json()).toMatchObject(expected);
});

describe('a failure', () => {
  test.each([
    [{ status: 400 }, 400, 'invalid_request_error'],
    [{ status: 403 }, 403, 'permission_error'],
    [{ status: 404 }, 404, 'not_found_error'],
    [{ status: 413 }, 413, 'request_too_large'],
    [{ status: 429, retry_after: 7 }, 429, 'rate_limit_error'],
    [{ status: 502 }, 502, 'api_error'],
    [{ status: 529 }, 529, 'overloaded_error'],
    [{ policy: true }, 400, 'invalid_request_error'],
  ])('%j has the expected status and error type', async (directive, status, type) => {
    const response = await simulator.messages(sim(directive));
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('retry_after' in directive ? '7' : null);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type, message: expect.any(String) },
      request_id: response.headers.get('request-id'),
    });
  });

  test.each([
    ['a call without a key', { 'x-api-key': '', authorization: '' }, 401],
    ['a call without a version', { 'anthropic-version': '' }, 400],
    ['a call with an unknown version', { 'anthropic-version': '2024-01-01' }, 400],
    ['a call with a bearer key', { 'x-api-key': '', authorization: 'Bearer k' }, 200],
  ])('%s', async (_, headers, status) => {
    expect((await simulator.messages('hi', {}, headers)).status).toBe(status);
  });

  test('unknown paths and methods are refused', async () => {
    expect((await simulator.post('/anthropic/v1/nothing', {})).status).toBe(404);
    expect((await fetch(`${simulator.url}/anthropic/v1/messages`)).status).toBe(405);
    expect((await fetch(`${simulator.url}/anthropic/v1/models`)).status).toBe(401);
  });
});
