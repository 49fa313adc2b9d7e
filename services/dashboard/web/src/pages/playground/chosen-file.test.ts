import { expect, test } from '@jest/globals';
import { fileProblem, filesProblem, formatBytes, kindOf } from './chosen-file';

const MIB = 1024 * 1024;
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

test('detects a file type by its first bytes', () => {
  expect(kindOf(bytes('\x89PNG\r\n\x1a\n and more'))).toBe('png');
  expect(kindOf(bytes('\xff\xd8\xff\xe0 and more'))).toBe('jpeg');
  expect(kindOf(bytes('RIFF1234WEBPVP8 '))).toBe('webp');
  for (const text of ['', 'RIFF1234WAVE', 'GIF89a', '<svg>', '\x89PNG'])
    expect(kindOf(bytes(text))).toBeUndefined();
});

test('refuses a file of the wrong type or size', () => {
  expect(fileProblem('image', 'jpeg', 50 * MIB)).toBeUndefined();
  expect(fileProblem('image', 'jpeg', 50 * MIB + 1)).toContain('50 MB');
  expect(fileProblem('image', undefined, 10)).toContain('not a PNG, JPEG or WebP');
  expect(fileProblem('mask', 'png', 4 * MIB - 1)).toBeUndefined();
  expect(fileProblem('mask', 'png', 4 * MIB)).toContain('4 MB');
  expect(fileProblem('mask', 'webp', 10)).toContain('not a PNG');
});

test('refuses too many files, or too large a total', () => {
  const files = (count: number, size: number) => Array.from({ length: count }, () => ({ size }));
  expect(filesProblem(files(3, 10), 3)).toBeUndefined();
  expect(filesProblem(files(5, 10), 3)).toBe('This model accepts at most 3 images: remove 2.');
  expect(filesProblem(files(2, 10), 1)).toBe('This model accepts at most 1 image: remove 1.');
  expect(filesProblem(files(2, 50 * MIB), 8)).toBeUndefined();
  expect(filesProblem(files(3, 40 * MIB), 8)).toContain('100 MB');
});

test.each([
  [0, '0 B'],
  [2_048, '2 KB'],
  [1_500_000, '1.4 MB'],
])('formats %p bytes as %p', (size, text) => {
  expect(formatBytes(size)).toBe(text);
});
