import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventsOf, Fixture, sim } from '../../server.fixture';

let simulator: Fixture;
beforeAll(async () => {
  simulator = await Fixture.start();
});
afterAll(() => simulator.stop());

const ask = (name: string, more: object = {}) =>
  simulator.post(`/${name}/v1/chat/completions`, {
    model: 'm',
    messages: [{ role: 'user', content: sim({ text: 'ok', thinking: 'hm well' }) }],
    ...more,
  });

interface Completion {
  readonly choices: { readonly message: { readonly content: unknown; readonly tool_calls?: unknown[] } }[];
  readonly usage: object;
}

describe('Mistral', () => {
  test('reports the usage of every stream', async () => {
    const events = eventsOf(await (await ask('mistral', { stream: true })).text());
    expect(events.at(-2)).toMatchObject({ usage: { completion_tokens: 3 } });
  });

  test('returns thinking as a part of the content, also in a stream', async () => {
    const { choices } = (await (await ask('mistral')).json()) as Completion;
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm well' }] };
    expect(choices[0]?.message.content).toEqual([thinking, { type: 'text', text: 'ok' }]);
    const events = eventsOf(await (await ask('mistral', { stream: true })).text());
    const deltas = events.flatMap(
      (event) =>
        (event as { choices?: { delta: { content?: unknown } }[] }).choices?.[0]?.delta.content ?? [],
    );
    expect(deltas).toContainEqual({ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] });
    expect(deltas).toContain('ok');
  });

  test('omits the type and index of tool calls, and reports num_cached_tokens', async () => {
    const messages = [
      {
        role: 'user',
        content: sim({
          tool_call: { name: 'f', arguments: {} },
          usage: { prompt_tokens: 9, cached_tokens: 4 },
        }),
      },
    ];
    const { choices, usage } = (await (await ask('mistral', { messages })).json()) as Completion;
    expect(choices[0]?.message.tool_calls?.[0]).toEqual({
      id: expect.any(String),
      function: { name: 'f', arguments: '{}' },
    });
    expect(usage).toMatchObject({ prompt_tokens: 9, num_cached_tokens: 4 });
  });

  test('sends a tool call whole in one chunk of a stream', async () => {
    const toolCall = { name: 'f', arguments: { city: 'Oslo' } };
    const messages = [{ role: 'user', content: sim({ tool_call: toolCall }) }];
    const events = eventsOf(await (await ask('mistral', { messages, stream: true })).text());
    const calls = events.flatMap(
      (event) =>
        (event as { choices?: { delta: { tool_calls?: object[] } }[] }).choices?.[0]?.delta.tool_calls ?? [],
    );
    expect(calls).toEqual([
      { id: expect.any(String), function: { name: 'f', arguments: '{"city":"Oslo"}' } },
    ]);
  });

  test.each([
    ['reasoning_content', { content: 'a', reasoning_content: 'b' }],
    ['empty content', { content: '' }],
  ])('refuses an assistant message with %s', async (_, message) => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', ...message },
      { role: 'user', content: 'b' },
    ];
    expect((await ask('mistral', { messages })).status).toBe(400);
  });

  test('refuses stream_options', async () => {
    const response = await ask('mistral', { stream: true, stream_options: { include_usage: true } });
    expect(response.status).toBe(400);
  });
});

test('xAI does not include reasoning in completion_tokens', async () => {
  expect(await (await ask('xai')).json()).toMatchObject({
    usage: { completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 2 } },
  });
});
