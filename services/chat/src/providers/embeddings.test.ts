import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import type { EmbeddingProtocol, EmbeddingRequest } from '../domain/embedding';
import { connectAsOpenAi, connectSimulator, KINDS } from './connect-provider';

const TEXTS: EmbeddingRequest = {
  model: 'x/y',
  inputs: { kind: 'texts', list: ['one', 'two'] },
  encoding: 'base64',
  dimensions: 8,
  inputType: 'search_query',
  user: 'u',
};
const TOKENS: EmbeddingRequest = { ...TEXTS, inputs: { kind: 'tokens', list: [[1, 2]] } };

const quota = new Quota({ limit: 1 });
const access = (baseUrl: string, options?: Record<string, unknown>) => ({
  id: 'p',
  baseUrl,
  apiKey: 'k',
  ...(options && { options }),
});
const PROTOCOLS = {
  openai: KINDS.openai(access('https://api.openai.com/v1'), quota),
  'openai of the environment': connectAsOpenAi(access('http://x/v1'), quota),
  simulator: connectSimulator(access('http://x/v1'), quota),
  compatible: KINDS.openai(access('http://x/v1'), quota),
  voyage: KINDS.openai(access('https://api.voyageai.com/v1', { preset: 'voyage' }), quota),
  mistral: KINDS.mistral(access('https://api.mistral.ai/v1'), quota),
  azure: KINDS['azure-openai'](
    access('https://r.openai.azure.com', { api_version: 'v1', deployments: { m: 'deployed' } }),
    quota,
  ),
  gemini: KINDS.gemini(access('https://g')),
  cohere: KINDS.cohere(access('https://c')),
};
type Name = keyof typeof PROTOCOLS;

const protocol = (name: Name): EmbeddingProtocol => PROTOCOLS[name].embeddings!;
const written = (name: Name, request = TEXTS) =>
  JSON.parse(String(protocol(name).writeRequest(request, 'm')));

describe('the request for embeddings', () => {
  const openAi = { model: 'm', input: ['one', 'two'] };
  const gemini = (text: string) => ({
    model: 'models/m',
    taskType: 'RETRIEVAL_QUERY',
    outputDimensionality: 8,
    content: { parts: [{ text }] },
  });
  test.each<[Name, object]>([
    ['openai', { ...openAi, encoding_format: 'base64', dimensions: 8, user: 'u' }],
    ['openai of the environment', { ...openAi, encoding_format: 'base64', dimensions: 8, user: 'u' }],
    ['simulator', { ...openAi, encoding_format: 'base64', dimensions: 8, user: 'u' }],
    ['compatible', { ...openAi, dimensions: 8, user: 'u' }],
    ['voyage', { ...openAi, encoding_format: 'base64', output_dimension: 8, input_type: 'query' }],
    ['mistral', { ...openAi, output_dimension: 8 }],
    ['azure', { ...openAi, model: 'deployed', encoding_format: 'base64', dimensions: 8, user: 'u' }],
    ['gemini', { requests: [gemini('one'), gemini('two')] }],
    [
      'cohere',
      {
        model: 'm',
        texts: ['one', 'two'],
        input_type: 'search_query',
        embedding_types: ['float'],
        output_dimension: 8,
      },
    ],
  ])('to %s has its fields', (name, body) => {
    expect(written(name)).toEqual(body);
  });

  test('never asks for floats, which are the default', () => {
    expect(written('openai', { ...TEXTS, encoding: 'float' })).not.toHaveProperty('encoding_format');
  });

  test('to cohere has an input type even if the caller names none', () => {
    const { inputType: _, ...untyped } = TEXTS;
    expect(written('cohere', untyped)).toMatchObject({ input_type: 'search_document' });
  });

  test('omits an input type that Voyage AI does not know', () => {
    expect(written('voyage', { ...TEXTS, inputType: 'clustering' })).not.toHaveProperty('input_type');
  });

  test.each<Name>(['openai', 'simulator', 'compatible', 'azure'])('to %s may have tokens', (name) => {
    expect(written(name, TOKENS).input).toEqual([1, 2]);
  });

  test.each<Name>(['mistral', 'gemini', 'cohere'])('to %s is refused with tokens', (name) => {
    expect(() => written(name, TOKENS)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        detail: 'input: this model takes texts, not tokens',
      }),
    );
  });

  test.each<[Name, number]>([
    ['gemini', 100],
    ['cohere', 96],
  ])('to %s has at most %i inputs', (name, most) => {
    const ofInputs = (count: number) => ({
      ...TEXTS,
      inputs: { kind: 'texts', list: Array<string>(count).fill('x') } as const,
    });
    expect(() => written(name, ofInputs(most))).not.toThrow();
    expect(() => written(name, ofInputs(most + 1))).toThrow(
      expect.objectContaining({ detail: `input: this model takes at most ${most} inputs` }),
    );
  });
});

describe('the address of embeddings', () => {
  test.each<[Name, string]>([
    ['openai', 'https://api.openai.com/v1/embeddings'],
    ['mistral', 'https://api.mistral.ai/v1/embeddings'],
    ['voyage', 'https://api.voyageai.com/v1/embeddings'],
    ['azure', 'https://r.openai.azure.com/openai/v1/embeddings'],
    ['gemini', 'https://g/v1beta/models/m:batchEmbedContents'],
    ['cohere', 'https://c/v2/embed'],
  ])('of %s is %s', async (name, url) => {
    expect(String((await protocol(name).address('m')).url)).toBe(url);
  });

  test('of a dated version of Azure names the deployment', async () => {
    const options = { api_version: '2024-10-21', deployments: { m: 'deployed' } };
    const azure = KINDS['azure-openai'](access('https://r.openai.azure.com', options), quota);
    const { url } = await azure.embeddings!.address('m');
    expect(String(url)).toBe(
      'https://r.openai.azure.com/openai/deployments/deployed/embeddings?api-version=2024-10-21',
    );
  });
});

describe('the reply with embeddings', () => {
  const read = (name: Name, reply: object) =>
    protocol(name).readReply(reply as Record<string, unknown>, (value) => ({ base64: String(value) }));
  const entry = (embedding: string, index?: number) => ({ object: 'embedding', embedding, index });

  test.each<[string, Name, object, number | undefined]>([
    ['of OpenAI', 'openai', { data: [entry('b', 1), entry('a', 0)], usage: { prompt_tokens: 7 } }, 7],
    ['without indices', 'compatible', { data: [entry('a'), entry('b')], usage: { prompt_tokens: 7 } }, 7],
    ['of Voyage AI', 'voyage', { data: [entry('a', 0), entry('b', 1)], usage: { total_tokens: 7 } }, 7],
    ['without usage', 'compatible', { data: [entry('a'), entry('b')] }, undefined],
    [
      'with absurd usage',
      'compatible',
      { data: [entry('a'), entry('b')], usage: { prompt_tokens: -1 } },
      undefined,
    ],
    ['of Gemini', 'gemini', { embeddings: [{ values: 'a' }, { values: 'b' }] }, undefined],
    [
      'of Gemini with usage',
      'gemini',
      { embeddings: [{ values: 'a' }, { values: 'b' }], usageMetadata: { promptTokenCount: 7 } },
      7,
    ],
    [
      'of Cohere',
      'cohere',
      { embeddings: { float: ['a', 'b'] }, meta: { billed_units: { input_tokens: 7 } } },
      7,
    ],
  ])('%s has its vectors in the order of the inputs', (_what, name, reply, inputTokens) => {
    expect(read(name, reply)).toEqual({ vectors: [{ base64: 'a' }, { base64: 'b' }], inputTokens });
  });

  test.each<[string, object]>([
    ['twice the same index', { data: [entry('a', 0), entry('b', 0)] }],
    ['an index out of range', { data: [entry('a', 2), entry('b', 0)] }],
    ['an entry that is no object', { data: ['a'] }],
  ])('is refused with %s', (_what, reply) => {
    expect(() => read('openai', reply)).toThrow('reply');
  });
});
