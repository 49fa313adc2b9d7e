import { expect, test } from '@jest/globals';
import { dataOf, parseData } from './sse-data';

test.each([
  ['one line', 'data: {"a":1}\n\n', '{"a":1}'],
  ['no space after the colon', 'data:{"a":1}\n\n', '{"a":1}'],
  ['two spaces, of which one is content', 'data:  a\n\n', ' a'],
  ['an event name before the data', 'event: x\ndata: {"a":1}\n\n', '{"a":1}'],
  ['fields after the data', 'data: a\nid: 1\nretry: 5\n\n', 'a'],
  ['several lines', 'data: {\ndata:  "a": 1\ndata: }\n\n', '{\n "a": 1\n}'],
  ['lines that end with CRLF', 'event: x\r\ndata: a\r\ndata: b\r\n\r\n', 'a\nb'],
  ['lines that end with CR alone', 'event: x\rdata: a\rb\rdata: c\r\n\n', 'a\nc'],
  ['an empty line of data', 'data:\ndata: a\n\n', '\na'],
  ['data that is only a CR and LF', 'data:\r\n\r\n', ''],
  ['a line without an end', 'data: a', 'a'],
  ['a final CR without LF', 'data: a\r', 'a'],
  ['a comment', ': data: a\n\n', ''],
  ['a field whose name starts with "data"', 'database: a\n\n', ''],
  ['"data:" later in a line', 'event: data: a\n\n', ''],
  ['non-ASCII text', 'data: "Grüße 🎉"\n\n', '"Grüße 🎉"'],
  ['no lines', '', ''],
])('reads the data of an event with %s', (_, event, data) => {
  expect(dataOf(Buffer.from(event))).toBe(data);
});

test('data that is not a JSON object is undefined', () => {
  expect(parseData(Buffer.from('data: {"a":1}\n\n'))).toEqual({ a: 1 });
  for (const data of ['[DONE]', 'null', '1', '']) {
    expect(parseData(Buffer.from(`data: ${data}\n\n`))).toBeUndefined();
  }
});
