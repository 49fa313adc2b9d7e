import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type OpenAI from 'openai';
import { eventsOf, Fixture, sim } from './server.fixture';

let simulator: Fixture;
beforeAll(async () => {
  simulator = await Fixture.start();
});
afterAll(() => simulator.stop());

describe('replies', () => {
  test('has text, a finish reason and usage', async () => {
    const response = await simulator.chat(sim({ text: 'hello world', usage: { cached_tokens: 3 } }));
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: 'm',
      service_tier: 'default',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello world' }, finish_reason: 'stop' }],
      usage: { completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } },
    });
  });

  test('counts all choices', async () => {
    const body = await (await simulator.chat(sim({ text: 'hello world' }), { n: 3 })).json();
    expect(body).toMatchObject({ usage: { completion_tokens: 6 } });
    expect(body).toHaveProperty('choices.2.index', 2);
  });

  test('is truncated at max_tokens', async () => {
    const body = await (await simulator.chat('hi', { max_completion_tokens: 4 })).json();
    expect(body).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 4 } });
  });

  test('contains thinking as reasoning_content, also in a stream', async () => {
    const prompt = sim({ thinking: 'hm well', text: 'ok' });
    const usage = { completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 2 } };
    const message = { reasoning_content: 'hm well', content: 'ok' };
    expect(await (await simulator.chat(prompt)).json()).toMatchObject({ choices: [{ message }], usage });
    const more = { stream: true, stream_options: { include_usage: true } };
    const events = eventsOf(await (await simulator.chat(prompt, more)).text());
    expect(events[1]).toMatchObject({ choices: [{ delta: { reasoning_content: 'hm' } }] });
    expect(events.at(-2)).toMatchObject({ choices: [], usage });
  });

  test('only counts hidden thinking, also in a stream', async () => {
    const prompt = sim({ thinking: 'hm well', text: 'ok', hide_thinking: true });
    const usage = { completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 2 } };
    const plain = await (await simulator.chat(prompt)).json();
    expect(plain).toMatchObject({ usage });
    expect(plain).not.toHaveProperty('choices.0.message.reasoning_content');
    const more = { stream: true, stream_options: { include_usage: true } };
    const streamed = await (await simulator.chat(prompt, more)).text();
    expect(streamed).not.toContain('reasoning_content');
    expect(eventsOf(streamed).at(-2)).toMatchObject({ usage });
  });

  test('obeys a forced tool, an output format and a stop sequence', async () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const tools = ['f', 'g'].map((name) => ({ type: 'function', function: { name, parameters } }));
    const g = { type: 'function', function: { name: 'g' } };
    const choices = [
      ['required', 'f'],
      [g, 'g'],
      [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [g] } }, 'g'],
    ];
    for (const [tool_choice, name] of choices) {
      expect(await (await simulator.chat('hi', { tools, tool_choice })).json()).toMatchObject({
        choices: [{ message: { tool_calls: [{ function: { name, arguments: '{"n":0}' } }] } }],
      });
    }
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema: parameters } };
    const said = async (content: string, more: object) => {
      const body = (await (await simulator.chat(content, more)).json()) as OpenAI.ChatCompletion;
      return body.choices[0]?.message.content;
    };
    expect(await said('hi', { response_format })).toBe('{"n":0}');
    expect(await said('hi', { response_format: { type: 'json_object' } })).toBe('{}');
    expect(await said(sim({ text: 'one two' }), { stop: ' two' })).toBe('one');
    expect(await said(sim({ text: 'one two' }), { tools, tool_choice: 'required' })).toBe('one two');
  });

  test('a stream without include_usage has no usage member', async () => {
    const response = await simulator.chat(sim({ chunks: 5 }), { stream: true });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = eventsOf(await response.text());
    expect(events).toHaveLength(1 + 5 + 1 + 1);
    expect(events.at(-1)).toBe('[DONE]');
    expect(events.filter((event) => Object.hasOwn(event as object, 'usage'))).toEqual([]);
    expect(events[0]).toMatchObject({ choices: [{ delta: { role: 'assistant', content: '' } }] });
  });

  test('streams many chunks without delay', async () => {
    const response = await simulator.chat(sim({ chunks: 20_000 }), { stream: true });
    expect(eventsOf(await response.text())).toHaveLength(20_000 + 3);
  });

  test('the path /v1 without a provider works, also for models', async () => {
    const body = { model: 'any/name', messages: [{ role: 'user', content: 'x' }] };
    expect(await (await simulator.post('/v1/chat/completions?x=1', body)).json()).toMatchObject({
      model: 'any/name',
    });
    const headers = { authorization: 'Bearer k' };
    const models = await (await fetch(`${simulator.url}/openai/v1/models`, { headers })).json();
    expect(models).toMatchObject({ object: 'list', data: [{ object: 'model' }, ...Array(8).fill({})] });
  });
});

describe('a failure', () => {
  test.each([
    [{ status: 429, retry_after: 7 }, 429, { code: 'rate_limit_exceeded' }],
    [{ status: 503 }, 503, { type: 'server_error' }],
    [{ status: 401 }, 401, { code: 'invalid_api_key' }],
    [{ error: 'so it goes' }, 500, { message: 'so it goes' }],
    [
      { status: 400, error: { error: { code: 'context_length_exceeded' } } },
      400,
      { code: 'context_length_exceeded' },
    ],
    [{ policy: true }, 400, { code: 'content_policy_violation' }],
    [{ chunks: -1 }, 400, { type: 'invalid_request_error' }],
  ])('%j has the expected status and error', async (directive, status, error) => {
    const id = `fail-${JSON.stringify(directive)}`;
    const response = await simulator.chat(sim(directive), { stream: true }, { 'x-request-id': id });
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('retry_after' in directive ? '7' : null);
    expect(await response.json()).toMatchObject({ error });
    const entry = await simulator.entryOf(encodeURIComponent(id));
    expect(entry).toMatchObject({ status, prompt_tokens: 0, completion_tokens: 0, finished: true });
  });

  test('a missing key, an unknown path, a wrong method and invalid JSON are refused', async () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
    const noKey = await simulator.post('/v1/chat/completions', body, { authorization: '' });
    expect([noKey.status, await noKey.json()]).toMatchObject([401, { error: { code: null } }]);
    expect((await simulator.post('/openai/v1/nothing', body)).status).toBe(404);
    expect((await fetch(`${simulator.url}/`)).status).toBe(404);
    expect((await fetch(`${simulator.url}/v1/chat/completions`)).status).toBe(405);
    expect((await simulator.post('/v1/chat/completions', '{')).status).toBe(400);
  });

  test('a reset and truncated replies end the connection', async () => {
    await expect(simulator.chat(sim({ reset: true }), {}, { 'x-request-id': 'reset' })).rejects.toThrow(
      'fetch failed',
    );
    expect(await simulator.entryOf('reset')).toMatchObject({ status: 0, prompt_tokens: 0, finished: false });
    for (const drop of [0, 3]) {
      const plain = await simulator.chat(sim({ drop_after_chunks: drop, chunks: 5 }));
      await expect(plain.text()).rejects.toThrow('terminated');
    }
    expect((await simulator.meter('?limit=1')).entries).toMatchObject([
      { prompt_tokens: 0, finished: false },
    ]);
  });

  test.each([0, 1, 4, 5])('a stream cut after %d of 5 chunks is billed up to there', async (drop) => {
    const prompt = sim({ drop_after_chunks: drop, text: 'one two three four five' });
    const response = await simulator.chat(prompt, { stream: true }, { 'x-request-id': `drop-${drop}` });
    let text = '';
    const read = async () => {
      const decoder = new TextDecoder();
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>)
        text += decoder.decode(part);
    };
    await expect(read()).rejects.toThrow('terminated');
    expect(eventsOf(text)).toHaveLength(1 + drop);
    const entry = await simulator.entryOf(`drop-${drop}`);
    expect(entry).toMatchObject({ completion_tokens: drop, finished: false, aborted: false, stream: true });
    expect(entry.prompt_tokens).toBeGreaterThan(0);
  });
});

test.each([
  [{ stream_error: true }, { error: { type: 'server_error' } }, 5],
  [{ stream_error: 'so it goes', drop_after_chunks: 2 }, { error: { message: 'so it goes' } }, 2],
  [{ stream_error: { error: { code: 'x' } }, drop_after_chunks: 0 }, { error: { code: 'x' } }, 0],
])('%j sends an error during a stream', async (directive, error, sent) => {
  const id = `stream-error-${sent}`;
  const prompt = sim({ text: 'one two three four five', ...directive });
  const events = eventsOf(
    await (await simulator.chat(prompt, { stream: true }, { 'x-request-id': id })).text(),
  );
  expect(events).toHaveLength(1 + sent + 1);
  expect(events.at(-1)).toMatchObject(error);
  expect(await simulator.entryOf(id)).toMatchObject({
    completion_tokens: sent,
    finished: false,
    aborted: false,
  });
});

describe('the meter', () => {
  test('reports the reply’s usage, and its totals add up', async () => {
    await fetch(`${simulator.url}/meter/reset`, { method: 'POST' });
    const headers = { 'x-request-id': 'agree' };
    const { usage } = (await (await simulator.chat('hello', { model: 'a' }, headers)).json()) as {
      usage: Record<string, number>;
    };
    await (await simulator.chat('hello', { model: 'b', stream: true })).text();
    const meter = await simulator.meter();
    expect(meter).toMatchObject({
      calls: 2,
      in_flight: 0,
      prompt_tokens: 2 * (usage.prompt_tokens ?? 0),
      completion_tokens: 2 * (usage.completion_tokens ?? 0),
      by_model: { a: { calls: 1 }, b: { calls: 1 } },
    });
    const [first, second] = meter.entries;
    expect(first).toMatchObject({
      provider: 'openai',
      model: 'a',
      request_id: 'agree',
      status: 200,
      stream: false,
    });
    expect(second).toMatchObject({
      model: 'b',
      request_id: null,
      finished: true,
      aborted: false,
      stream: true,
    });
    expect((await simulator.meter(`?after=${first?.id}`)).entries).toEqual([second]);
  });

  test('refuses invalid queries', async () => {
    expect((await fetch(`${simulator.url}/meter?limit=x`)).status).toBe(400);
    expect((await fetch(`${simulator.url}/meter`, { method: 'POST' })).status).toBe(404);
  });
});
