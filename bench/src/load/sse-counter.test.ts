import { expect, test } from '@jest/globals';
import { SseCounter } from './sse-counter';

const LAST = 'data: [DONE]\n\n';
const STREAM = 'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n';

test.each([1, 2, 3, 5, 7, 14, 15, 16, 100])(
  'counts the events of a stream that arrives in chunks of %i bytes',
  (size) => {
    const counter = new SseCounter(LAST);
    for (let at = 0; at < STREAM.length; at += size) counter.push(Buffer.from(STREAM.slice(at, at + size)));
    expect(counter.events).toBe(3);
    expect(counter.done).toBe(true);
  },
);

test('a stream that ends with another event is not done', () => {
  const counter = new SseCounter(LAST);
  counter.push(Buffer.from('data: [DONE]\n'));
  expect(counter.done).toBe(false);
  counter.push(Buffer.from('\ndata: {"error":{}}\n\n'));
  expect(counter.events).toBe(2);
  expect(counter.done).toBe(false);
});
