import { describe, expect, test } from '@jest/globals';
import type { RerankRequest } from './rerank';
import { boundPairTokens, byteSizeOf, pairTokens, searchUnits } from './rerank-size';

const request = (query: string, documents: readonly string[], more: Partial<RerankRequest> = {}) => ({
  ...{ model: 'x/y', query, documents, returnsDocuments: false },
  ...more,
});

test('the query counts with every document', () => {
  expect(pairTokens({ query: 3, documents: [10, 20] }, 1_000)).toBe(36);
});

test('a pair has at most the tokens of the context', () => {
  expect(pairTokens({ query: 3, documents: [10, 20] }, 15)).toBe(13 + 15);
});

test('tokens are bounded by the bytes and a frame around each pair', () => {
  expect(boundPairTokens(request('é', ['abc', 'd']), 1_000)).toBe(2 + 3 + 4 + 2 + 1 + 4);
});

describe('search units', () => {
  test.each<[string, number, number[], number]>([
    ['one document', 10, [10], 1],
    ['100 documents', 10, Array(100).fill(490), 1],
    ['101 documents', 10, Array(101).fill(1), 2],
    ['documents that the query makes too long', 11, Array(100).fill(490), 2],
    ['empty ones', 10, [0], 1],
    ['a long query', 5_000, Array(100).fill(250), 1],
    ['a long query with longer documents', 5_000, Array(100).fill(251), 2],
  ])('of %s', (_what, query, documents, units) => {
    expect(searchUnits({ query, documents })).toBe(units);
  });

  test('of documents that are cut off count the rest only', () => {
    const documents = Array<string>(100).fill('x'.repeat(5_000));
    expect(searchUnits(byteSizeOf(request('q', documents)))).toBe(11);
    expect(searchUnits(byteSizeOf(request('q', documents, { maxTokensPerDocument: 400 })))).toBe(1);
  });
});
