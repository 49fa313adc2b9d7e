import { expect, test } from '@jest/globals';
import { WeightedLru } from './lru';

test('the least recently used value is evicted first', () => {
  const lru = new WeightedLru<number>(10);
  lru.add('a', 1, 4);
  lru.add('b', 2, 4);
  lru.get('a');
  lru.add('c', 3, 4);
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([1, undefined, 3]);
});

test('a value heavier than the maximum is not kept and evicts nothing', () => {
  const lru = new WeightedLru<number>(10);
  lru.add('a', 1, 10);
  lru.add('b', 2, 11);
  expect([lru.get('a'), lru.get('b')]).toEqual([1, undefined]);
});
