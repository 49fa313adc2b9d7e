import { expect, test } from '@jest/globals';
import { splitLines } from './split-lines';

const linesOf = async (...pieces: (string | Buffer)[]) => {
  const content = async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  };
  const lines: [number, string][] = [];
  for await (const { number, bytes } of splitLines(content(), 100)) lines.push([number, bytes.toString()]);
  return lines;
};

test('a byte order mark before the first line is not part of it', async () => {
  const expected = [
    [1, '{"a":1}'],
    [2, '{"b":2}'],
  ];
  expect(await linesOf('\ufeff{"a":1}\n{"b":2}\n')).toEqual(expected);
  const mark = Buffer.from('\ufeff');
  expect(await linesOf(mark.subarray(0, 1), mark.subarray(1), '{"a":1}\n{"b":2}')).toEqual(expected);
  expect(await linesOf('\ufeff\n{"b":2}')).toEqual([[2, '{"b":2}']]);
});

test('a byte order mark of a later line is left to its parser', async () => {
  expect(await linesOf('{}\n\ufeff{}')).toEqual([
    [1, '{}'],
    [2, '\ufeff{}'],
  ]);
});
