import { describe, expect, test } from '@jest/globals';
import { SseSplitter } from './sse-splitter';

const STREAMS = {
  'LF line ends': 'data: {"a":1}\n\n: ping\n\nevent: x\ndata: 2\n\ndata: [DONE]\n\n',
  'CRLF line ends': 'data: {"a":1}\r\n\r\ndata: 2\r\n\r\n',
  'CR line ends': 'data: {"a":1}\r\r: ping\r\revent: x\rdata: 2\r\rdata: [DONE]\r\r',
  'non-ASCII text': 'data: "ä€\u{1f600}"\n\n',
};

describe.each(Object.entries(STREAMS))('a stream with %s', (_name, stream) => {
  const bytes = Buffer.from(stream);
  const whole = new SseSplitter().push(bytes).map(String);

  test('the joined events equal the stream', () => {
    expect(whole.join('')).toBe(stream);
  });

  test('the events do not depend on the chunks in which the stream arrives', () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const splitter = new SseSplitter();
      const events = [...splitter.push(bytes.subarray(0, cut)), ...splitter.push(bytes.subarray(cut))];
      expect(events.map(String)).toEqual(whole);
      expect(splitter.rest.length).toBe(0);
    }
  });
});

test('the lines of a stream may end in different ways', () => {
  const stream = 'data: 1\n\ndata: 2\r\revent: x\r\ndata: 3\r\n\r\ndata: 4\n\n';
  expect(new SseSplitter().push(Buffer.from(stream)).map(String)).toEqual([
    'data: 1\n\n',
    'data: 2\r\r',
    'event: x\r\ndata: 3\r\n\r\n',
    'data: 4\n\n',
  ]);
});

test('an unfinished event remains in rest', () => {
  const splitter = new SseSplitter();
  expect(splitter.push(Buffer.from('data: 1\n\ndata: 2\n')).map(String)).toEqual(['data: 1\n\n']);
  expect(splitter.rest.toString()).toBe('data: 2\n');
  expect(splitter.end().map(String)).toEqual(['data: 2\n\n']);
  expect(new SseSplitter().end()).toEqual([]);
});
