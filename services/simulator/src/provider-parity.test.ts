import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Fixture, sim } from './server.fixture';

let simulator: Fixture;
beforeAll(async () => {
  simulator = await Fixture.start();
});
afterAll(() => simulator.stop());

type Ask = (content: string, stream: boolean, headers: Record<string, string>) => Promise<Response>;

const PROVIDERS: Readonly<Record<string, Ask>> = {
  openai: (content, stream, headers) => simulator.chat(content, { stream, max_tokens: 1_000 }, headers),
  anthropic: (content, stream, headers) => simulator.messages(content, { stream }, headers),
  gemini: (content, stream, headers) => {
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const generationConfig = { maxOutputTokens: 1_000, thinkingConfig: { includeThoughts: true } };
    return simulator.generate(method, content, { generationConfig }, headers);
  },
};

let asked = 0;

/** What the caller sees of a reply's end, and what the meter says of the call. */
async function outcomeOf(ask: Ask, directive: object, stream: boolean) {
  const id = `same-${++asked}`;
  const end = await ask(sim(directive), stream, { 'x-request-id': id }).then(
    async (response) => ({ status: response.status, end: await response.text().then(() => 'whole', String) }),
    String,
  );
  const { id: _, at, provider, model, request_id, ...entry } = await simulator.entryOf(id);
  return { end, entry };
}

const usage = { prompt_tokens: 100, completion_tokens: 50, cached_tokens: 40, reasoning_tokens: 10 };

describe.each([false, true])('stream: %s', (stream) => {
  test.each<object>([
    {},
    { text: 'one two three' },
    { text: '' },
    { text: 'ꙮ漢字é 🧑🏽‍🚀 and so on' },
    { chunks: 7 },
    { chunks: 300, text: 'one two' },
    { chunks: 6, chunk_delay_ms: 2 },
    { chunks: 2_000 },
    { thinking: 'one two', text: 'three' },
    { tool_call: { name: 'f', arguments: { a: 'one two' } } },
    { tool_call: { name: 'f' }, text: 'first' },
    { usage },
    { finish_reason: 'content_filter' },
    { status: 201 },
    { status: 429, retry_after: 5 },
    { status: 503, error: 'so it goes' },
    { error: { a: 1 } },
    { reset: true },
    { delay_ms: 5, reset: true },
    { drop_after_chunks: 0 },
    { drop_after_chunks: 3, text: 'one two three four' },
    { drop_after_chunks: 4, text: 'one two three four' },
    { drop_after_chunks: 5, text: 'one two three four' },
    { drop_after_chunks: 3, chunk_delay_ms: 2 },
    { drop_after_chunks: 3, thinking: 'one two', text: 'three four' },
    { stream_error: true, text: 'one two' },
    { stream_error: true, text: 'one two', drop_after_chunks: 1 },
    { stream_error: true, text: 'one two', drop_after_chunks: 3 },
    { unknown: 1 },
  ])('%j has the same tokens with every provider', async (directive) => {
    const [first, ...others] = await Promise.all(
      Object.values(PROVIDERS).map((ask) => outcomeOf(ask, directive, stream)),
    );
    expect(others).toEqual([first, first]);
  });
});
