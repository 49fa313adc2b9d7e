import { Quota } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import type { RerankRequest } from '../domain/rerank';
import { connectAsOpenAi, KINDS } from './connect-provider';

const REQUEST: RerankRequest = {
  ...{ model: 'x/y', query: 'q', documents: ['a', 'b'], topN: 9, returnsDocuments: true },
};
const quota = new Quota({ limit: 1 });
const access = (baseUrl: string, options?: Record<string, unknown>) => ({
  ...{ id: 'p', baseUrl, apiKey: 'k' },
  ...(options && { options }),
});
const PROVIDERS = {
  compatible: KINDS.openai(access('http://x/v1'), quota),
  voyage: KINDS.openai(access('https://api.voyageai.com/v1', { preset: 'voyage' }), quota),
  jina: KINDS.openai(access('https://api.jina.ai/v1', { preset: 'jina' }), quota),
  cohere: KINDS.cohere(access('https://api.cohere.com')),
  quirk: KINDS.openai(access('http://x', { quirks: { rerank_path: '/v2/rerank' } }), quota),
};
type Name = keyof typeof PROVIDERS;
const written = (name: Name, request = REQUEST) =>
  JSON.parse(String(PROVIDERS[name].rerank!.writeRequest(request, 'm')));

const common = { model: 'm', query: 'q', documents: ['a', 'b'] };
test.each<[Name, string, object]>([
  ['compatible', 'http://x/v1/rerank', { ...common, top_n: 2, return_documents: false }],
  ['voyage', 'https://api.voyageai.com/v1/rerank', { ...common, top_k: 2, return_documents: false }],
  ['jina', 'https://api.jina.ai/v1/rerank', { ...common, top_n: 2, return_documents: false }],
  ['cohere', 'https://api.cohere.com/v2/rerank', { ...common, top_n: 2 }],
  ['quirk', 'http://x/v2/rerank', { ...common, top_n: 2, return_documents: false }],
])('%s is called with its own fields at its own path', (name, url, body) => {
  expect([String(PROVIDERS[name].rerank!.address().url), written(name)]).toEqual([url, body]);
});

test('documents are cut off by Cohere only', () => {
  const cut = { ...REQUEST, maxTokensPerDocument: 7 };
  expect(written('cohere', cut)).toMatchObject({ max_tokens_per_doc: 7 });
  expect(() => written('jina', cut)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('OpenAI and Mistral rank nothing', () => {
  expect(connectAsOpenAi(access('http://x/v1'), quota).rerank).toBeUndefined();
  expect(KINDS.mistral(access('http://x/v1'), quota).rerank).toBeUndefined();
});

const ranked = [{ index: 1, relevance_score: 0.5, document: { text: 'b' } }];
test.each<[string, object, object]>([
  [
    'Jina AI',
    { results: ranked, usage: { total_tokens: 7 } },
    { id: '', inputTokens: 7, searchUnits: undefined },
  ],
  ['Voyage AI', { data: ranked, usage: { total_tokens: 8 } }, { inputTokens: 8 }],
  [
    'Cohere',
    { id: 'r', results: ranked, meta: { billed_units: { search_units: 2 } } },
    { id: 'r', inputTokens: undefined, searchUnits: 2 },
  ],
  [
    'a server with wrong figures',
    { results: ranked, usage: { total_tokens: -1 } },
    { inputTokens: undefined },
  ],
])('the reply of %s is read', (_who, reply, figures) => {
  const read = PROVIDERS.compatible.rerank!.readReply(reply as Record<string, unknown>);
  expect(read).toMatchObject({ results: [{ index: 1, score: 0.5 }], ...figures });
});
