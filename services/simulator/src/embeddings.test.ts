import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Fixture, sim } from './server.fixture';

let simulator: Fixture;
beforeAll(async () => {
  simulator = await Fixture.start();
});
afterAll(() => simulator.stop());

const GOOGLE = { 'x-goog-api-key': 'k' };
const batch = (...texts: string[]) => ({
  requests: texts.map((text) => ({
    model: 'models/m',
    content: { parts: [{ text }] },
    outputDimensionality: 256,
  })),
});
const embed = (...texts: string[]) => ({
  model: 'm',
  texts,
  input_type: 'search_document',
  embedding_types: ['float'],
  output_dimension: 256,
});
const openAi = (input: unknown, more: object = {}) => ({ model: 'm', input, dimensions: 256, ...more });

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there.
const post = async (path: string, body: object, headers = {}): Promise<any> => {
  const response = await simulator.post(path, body, headers);
  return { status: response.status, ...((await response.json()) as object) };
};

test('the formats return the same vector for the same text, as floats and in base64', async () => {
  const { data } = await post('/openai/v1/embeddings', openAi(['one', 'two']));
  const floats: number[] = data[1].embedding;
  expect(floats).toHaveLength(256);
  expect(Math.hypot(...floats)).toBeCloseTo(1, 5);
  const { data: encoded } = await post('/openai/v1/embeddings', openAi('two', { encoding_format: 'base64' }));
  const bytes = Buffer.from(encoded[0].embedding, 'base64');
  expect(floats.map((_, at) => bytes.readFloatLE(at * 4))).toEqual(floats);
  const gemini = await post('/gemini/v1beta/models/m:batchEmbedContents', batch('one', 'two'), GOOGLE);
  expect(gemini.embeddings[1].values).toEqual(floats);
  const cohere = await post('/cohere/v2/embed', embed('one', 'two'));
  expect(cohere.embeddings.float[1]).toEqual(floats);
});

test('the tokens of all texts are metered and, by all but Google, reported', async () => {
  const id = (name: string) => ({ 'x-request-id': name });
  const { usage } = await post('/openai/v1/embeddings', openAi(['one two', 'three']), id('o'));
  const { meta } = await post('/cohere/v2/embed', embed('one two', 'three'), id('c'));
  await post('/gemini/v1beta/models/m:batchEmbedContents', batch('one two', 'three'), {
    ...GOOGLE,
    ...id('g'),
  });
  expect([usage, meta.billed_units]).toEqual([{ prompt_tokens: 3, total_tokens: 3 }, { input_tokens: 3 }]);
  for (const request of ['o', 'c', 'g'])
    expect(await simulator.entryOf(request)).toMatchObject({ prompt_tokens: 3, completion_tokens: 0 });
});

test('lists of tokens are metered by their lengths', async () => {
  const { usage, data } = await post('/openai/v1/embeddings', openAi([[1, 2], [3]]));
  expect([usage.prompt_tokens, data.length]).toEqual([3, 2]);
});

test('a directive in a text applies to the call', async () => {
  expect(await post('/openai/v1/embeddings', openAi(sim({ status: 503 })))).toMatchObject({ status: 503 });
  const { usage } = await post('/openai/v1/embeddings', openAi(sim({ usage: { prompt_tokens: 42 } })));
  expect(usage.prompt_tokens).toBe(42);
});

test.each<[string, string, object]>([
  ['OpenAI: an empty text', '/openai/v1/embeddings', openAi('')],
  ['OpenAI: an unknown field', '/openai/v1/embeddings', openAi('x', { input_type: 'query' })],
  ['Mistral: the field dimensions', '/mistral/v1/embeddings', openAi('x')],
  ['Mistral: tokens', '/mistral/v1/embeddings', { model: 'm', input: [1] }],
  ['Cohere: no input type', '/cohere/v2/embed', { ...embed('x'), input_type: undefined }],
  ['Cohere: 97 texts', '/cohere/v2/embed', embed(...Array<string>(97).fill('x'))],
  ['Google: 101 texts', '/gemini/v1beta/models/m:batchEmbedContents', batch(...Array<string>(101).fill('x'))],
])('%s is refused with 400', async (_what, path, body) => {
  expect((await post(path, body, GOOGLE)).status).toBe(400);
});
