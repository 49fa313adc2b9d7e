import { expect, test } from '@jest/globals';
import type { Model } from '../domain/model';
import type { RerankRequest } from '../domain/rerank';
import { NO_USAGE } from '../domain/usage';
import { KINDS } from '../providers/connect-provider';
import { rerankCall } from './rerank-call';

const REQUEST: RerankRequest = {
  ...{ model: 'x/y', query: 'one', documents: ['two three', 'four'], returnsDocuments: false },
};
const BY_TOKEN = { input: 1n, output: 0n };
const BY_UNIT = { ...BY_TOKEN, input: 0n, units: { search_unit: 5n } };
const modelOf = (base: object) =>
  ({
    ...{ slug: 'x/y', contextLength: 100, pricing: { version: 1n, base, serviceTiers: new Map() } },
  }) as unknown as Model;

const protocolOf = (request = REQUEST) =>
  rerankCall(request).protocolOf(KINDS.cohere({ id: 'c', baseUrl: 'http://c', apiKey: 'k' }))!;
const read = (reply: object, model = modelOf(BY_TOKEN), request = REQUEST) =>
  protocolOf(request).readReply(Buffer.from(JSON.stringify(reply)), model);
const ranked = (...scores: number[]) => scores.map((relevance_score, index) => ({ index, relevance_score }));

test('a model that is priced by units is charged the reported ones', async () => {
  const { usage, source, body } = await read(
    { results: ranked(0.1, 0.9), meta: { billed_units: { search_units: 3 } } },
    modelOf(BY_UNIT),
  );
  expect([usage.units, source]).toEqual([{ search_unit: 3 }, 'provider']);
  expect(JSON.parse(String(body))).toMatchObject({
    ...{ object: 'list', model: 'x/y', meta: { billed_units: { search_units: 3 } } },
    results: [
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.1 },
    ],
  });
});

test.each([
  ['tokens', BY_TOKEN, { search_units: 3 }, { ...NO_USAGE, input: 5 }],
  ['units', BY_UNIT, {}, { ...NO_USAGE, input: 5, units: { search_unit: 1 } }],
])(
  'a model that is priced by %s is charged counted ones if none are reported',
  async (_by, price, billed_units, usage) => {
    const counted = await read({ results: ranked(0.1, 0.9), meta: { billed_units } }, modelOf(price));
    expect([counted.usage, counted.source]).toEqual([usage, 'counted']);
  },
);

test('the bound of units and tokens is that of the bytes', () => {
  const { boundUsage, countUsage } = rerankCall(REQUEST);
  expect(boundUsage(modelOf(BY_UNIT))).toEqual({ ...NO_USAGE, input: 27, units: { search_unit: 1 } });
  expect(boundUsage(modelOf(BY_TOKEN))).toEqual({ ...NO_USAGE, input: 27 });
  expect(countUsage(modelOf(BY_TOKEN))).toEqual({ ...NO_USAGE, input: 5 });
});

test.each<[string, object]>([
  ['misses a document', { results: ranked(0.5) }],
  ['has a document twice', { results: [...ranked(0.5), ...ranked(0.6)] }],
  ['has an unknown document', { results: [{ index: 2, relevance_score: 1 }, ...ranked(1)] }],
  ['has no scores', { results: [{ index: 0 }, { index: 1 }] }],
  ['is of another format', { data: 'x' }],
])('a reply that %s is an error', async (_what, reply) => {
  await expect(async () => read(reply)).rejects.toThrow();
});

test('no more documents are returned than asked for', async () => {
  const { body } = await read({ results: ranked(0.1, 0.9) }, undefined, { ...REQUEST, topN: 1 });
  expect(JSON.parse(String(body)).results).toEqual([{ index: 1, relevance_score: 0.9 }]);
});
