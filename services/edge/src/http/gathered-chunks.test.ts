import { expect, test } from '@jest/globals';
import { GatheredChunks } from './gathered-chunks';

test.each([1, 1_000, 1_024, 5_000])('joins chunks of %i bytes into the original bytes', (chunkBytes) => {
  const gathered = new GatheredChunks();
  const whole = Buffer.from(Array.from({ length: 600 * chunkBytes }, (_, at) => at % 251));
  for (let at = 0; at < whole.length; at += chunkBytes) gathered.add(whole.subarray(at, at + chunkBytes));
  expect(gathered.whole().equals(whole)).toBe(true);
});

test('a body that arrives byte by byte uses little more memory than its bytes', () => {
  const bytes = 1_000_000;
  const source = Buffer.alloc(bytes, 'x');
  const gathered = new GatheredChunks();
  const before = process.memoryUsage();
  for (let at = 0; at < bytes; at += 1) gathered.add(source.subarray(at, at + 1));
  const { heapUsed } = process.memoryUsage();
  // Allows for garbage of joined chunks; a million retained chunks would use more.
  expect(heapUsed - before.heapUsed).toBeLessThan(64 * 1024 ** 2);
  expect(gathered.whole().length).toBe(bytes);
});
