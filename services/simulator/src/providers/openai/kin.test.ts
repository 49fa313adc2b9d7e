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

describe('Mistral', () => {
  test('tells the usage of its streams unasked', async () => {
    const events = eventsOf(await (await ask('mistral', { stream: true })).text());
    expect(events.at(-2)).toMatchObject({ usage: { completion_tokens: 3 } });
  });

  test('refuses to be asked', async () => {
    const response = await ask('mistral', { stream: true, stream_options: { include_usage: true } });
    expect(response.status).toBe(400);
  });
});

test('xAI counts reasoning beside the completion', async () => {
  expect(await (await ask('xai')).json()).toMatchObject({
    usage: { completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 2 } },
  });
});
