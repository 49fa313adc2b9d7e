import { expect, test } from '@jest/globals';
import { dataOf, parseData } from './sse-data';

test.each([
  ['one line', 'data: {"a":1}\n\n', '{"a":1}'],
  ['no space', 'data:{"a":1}\n\n', '{"a":1}'],
  ['two spaces, of which one is content', 'data:  a\n\n', ' a'],
  ['a name before it', 'event: x\ndata: {"a":1}\n\n', '{"a":1}'],
  ['fields after it', 'data: a\nid: 1\nretry: 5\n\n', 'a'],
  ['several lines', 'data: {\ndata:  "a": 1\ndata: }\n\n', '{\n "a": 1\n}'],
  ['CR and LF', 'event: x\r\ndata: a\r\ndata: b\r\n\r\n', 'a\nb'],
  ['lines that a CR alone ends', 'event: x\rdata: a\rb\rdata: c\r\n\n', 'a\nc'],
  ['an empty line of data', 'data:\ndata: a\n\n', '\na'],
  ['data that is only a CR and LF', 'data:\r\n\r\n', ''],
  ['a line that does not end', 'data: a', 'a'],
  ['a last CR that no LF follows', 'data: a\r', 'a'],
  ['a comment', ': data: a\n\n', ''],
  ['a field whose name begins like it', 'database: a\n\n', ''],
  ['its name later in a line', 'event: data: a\n\n', ''],
  ['more than ASCII', 'data: "Grüße 🎉"\n\n', '"Grüße 🎉"'],
  ['nothing', '', ''],
])('reads %s', (_, event, data) => {
  expect(dataOf(Buffer.from(event))).toBe(data);
});

test('data that is not a JSON object is none', () => {
  expect(parseData(Buffer.from('data: {"a":1}\n\n'))).toEqual({ a: 1 });
  for (const data of ['[DONE]', 'null', '1', '']) {
    expect(parseData(Buffer.from(`data: ${data}\n\n`))).toBeUndefined();
  }
});
