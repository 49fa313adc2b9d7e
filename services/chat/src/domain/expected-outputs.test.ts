import { expect, test } from '@jest/globals';
import { ExpectedOutputs } from './expected-outputs';

test('a key without calls is expected to use 1,000 output tokens, at most its maximum', () => {
  const outputs = new ExpectedOutputs();
  expect(outputs.expect('key', 'model', 64_000)).toBe(1_000);
  expect(outputs.expect('key', 'model', 20)).toBe(20);
});

test('the expected output follows the recent outputs of the key with that model', () => {
  const outputs = new ExpectedOutputs();
  outputs.learn('key', 'model', 10);
  expect(outputs.expect('key', 'model', 64_000)).toBe(10);
  expect(outputs.expect('key', 'other', 64_000)).toBe(1_000);
  expect(outputs.expect('other', 'model', 64_000)).toBe(1_000);
  for (let i = 0; i < 20; i++) outputs.learn('key', 'model', 3_000);
  expect(outputs.expect('key', 'model', 64_000)).toBeGreaterThan(2_900);
  expect(outputs.expect('key', 'model', 64_000)).toBeLessThanOrEqual(3_000);
  expect(outputs.expect('key', 'model', 500)).toBe(500);
});

test('the least recently used keys and models are evicted', () => {
  const outputs = new ExpectedOutputs();
  outputs.learn('first', 'model', 10);
  for (let i = 0; i < 20_000; i++) outputs.learn(`key ${i}`, 'model', 20);
  expect(outputs.expect('first', 'model', 64_000)).toBe(1_000);
  expect(outputs.expect('key 0', 'model', 64_000)).toBe(20);
});
