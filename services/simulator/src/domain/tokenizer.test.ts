import { describe, expect, test } from '@jest/globals';
import { cutLongRuns, O200kTokenizer } from './tokenizer';

const tokenizer = new O200kTokenizer();

describe('o200k_base', () => {
  // Figures of OpenAI's own tokenizer.
  test.each([
    ['', 0],
    ['hello world', 2],
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['user', 1],
  ])('counts %j as %d', (text, tokens) => {
    expect(tokenizer.count(text)).toBe(tokens);
  });

  test('special tokens are plain text', () => {
    expect(tokenizer.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  test.each(['héllo 🧑🏽‍🚀 漢字 ꙮ ok', 'a\n\n  b\tc', '🏳️‍🌈🏳️‍🌈'])(
    'splits %j without dividing a character',
    (text) => {
      const pieces = tokenizer.split(text);
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    },
  );
});

describe('long runs of one class', () => {
  test('prose of any length is not cut, including Chinese', () => {
    for (const text of ['word '.repeat(5_000), '漢字。'.repeat(5_000)])
      expect(cutLongRuns(text)).toEqual([text]);
  });

  test('are cut every 1,024 characters from their start', () => {
    const parts = cutLongRuns(`ab ${'x'.repeat(2_500)} cd`);
    expect(parts.map((part) => part.length)).toEqual([3 + 1024, 1024, 452 + 3]);
  });

  test('are not cut inside a surrogate pair', () => {
    const parts = cutLongRuns(`${'x'.repeat(10)}.${'🧑'.repeat(2_000)}`);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.every((part) => part.isWellFormed())).toBe(true);
  });

  test('take linear time', () => {
    // Uncut, this takes minutes.
    expect(tokenizer.count('x'.repeat(300_000))).toBeGreaterThan(1_000);
  });
});
