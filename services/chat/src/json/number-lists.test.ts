import { expect, test } from '@jest/globals';
import { parseWithoutNumbers } from './number-lists';

const parse = (json: string) => {
  const { value, lists } = parseWithoutNumbers(Buffer.from(json));
  return { value, lists: lists.map(String) };
};

test('replaces each list of numbers by its index', () => {
  expect(parse('{"data":[{"e":[0.5,-1]},{"e":[ 2 ]},{"e":[]}],"n":3}')).toEqual({
    value: { data: [{ e: [0] }, { e: [1] }, { e: [] }], n: 3 },
    lists: ['[0.5,-1]', '[ 2 ]'],
  });
});

test('leaves texts unchanged that look like lists', () => {
  const value = { a: '[1,2]', b: 'é"[3]\\', c: ['[4]', 'x'], d: [{ e: '\\"[5' }] };
  expect(parse(JSON.stringify({ ...value, f: [6] }))).toEqual({
    value: { ...value, f: [0] },
    lists: ['[6]'],
  });
});

test('replaces lists of lists', () => {
  expect(parse('{"float":[[1,2],[3]]}')).toEqual({ value: { float: [[0], [1]] }, lists: ['[1,2]', '[3]'] });
});

test.each(['', '[1]', '{"a":[1', '{"a":[1]', 'null', '{"a":[1]}}'])('refuses %j', (json) => {
  expect(() => parse(json)).toThrow('reply is not a JSON object');
});
