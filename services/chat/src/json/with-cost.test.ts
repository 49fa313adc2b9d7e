import { expect, test } from '@jest/globals';
import { withCost } from './with-cost';

const billed = (reply: string) => withCost(Buffer.from(reply), 12_345_678_901_234_567_891n).toString();

test('the usage of a reply gets the exact cost, and no other byte changes', () => {
  const reply = '{"id": 12345678901234567890, "usage":{"a":1, "b":{}} ,"choices":[{"usage":{}}]}';
  expect(billed(reply)).toBe(
    '{"id": 12345678901234567890, "usage":{"a":1, "b":{},"cost":12345678901.234567891} ,"choices":[{"usage":{}}]}',
  );
});

test("the provider's own cost is replaced", () => {
  expect(billed('{"usage":{"cost":9,"x":1}}')).toBe('{"usage":{"cost":12345678901.234567891,"x":1}}');
});

test.each([
  ['before other members', '{"choices":[],"usage":{"x":1},"a":"usage","b":[{"c":1}]}'],
  ['before a key that ends with its name', '{"usage":{"x":1},"a\\"usage":{}}'],
  ['before a text with its name', '{"usage":{"x":1},"a":"\\"usage"}'],
  ['before a nested one', '{"usage":{"x":1},"a":{"usage":{"y":2}}}'],
  ['before one in a list', '{"usage":{"x":1},"a":[{"usage":{"y":2}}]}'],
  ['with white space around', ' { "usage" : {"x":1} } '],
])('finds the usage %s', (_, reply) => {
  expect(billed(reply)).toBe(reply.replace('"x":1', '"x":1,"cost":12345678901.234567891'));
});

test.each([
  ['has none', '{"choices":[{"usage":{}}]}'],
  ['is null', '{"usage":null}'],
  ['is beside a value nested too deeply', `{"usage":{},"x":${'['.repeat(600)}${']'.repeat(600)}}`],
])('a reply whose usage %s is unchanged', (_, reply) => {
  expect(billed(reply)).toBe(reply);
});
