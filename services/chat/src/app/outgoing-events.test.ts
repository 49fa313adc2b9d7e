import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import type { MeteredStream, PassThroughEvent } from '../domain/chat-provider';
import { PassThroughChunks } from '../providers/openai/pass-through-chunks';
import { QUIRKS } from '../providers/openai/quirks';
import { OutgoingEvents } from './outgoing-events';

const CHUNK = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
const ERROR = 'data: {"error":{"message":"overloaded"}}\n\n';
const DONE = 'data: [DONE]\n\n';

const start = () =>
  new OutgoingEvents(
    new PassThroughChunks({
      model: 'openai/gpt-5.5',
      includeUsage: false,
      chargedNano: () => 0n,
      quirks: QUIRKS.common,
      bufferQuota: new Quota({ limit: 1_000 }),
    }),
  );
const push = (events: OutgoingEvents, text: string) => events.push(Buffer.from(text)).toString();

test('the end marker is held back, and nothing after it is passed on', () => {
  const events = start();
  expect(push(events, `${CHUNK}${DONE}${CHUNK}`)).toBe(CHUNK);
  expect([events.over, events.done?.toString(), events.failure]).toEqual([true, DONE, undefined]);
});

test('an error event of the provider is not passed on, but earlier events are', () => {
  const events = start();
  expect(push(events, `${CHUNK}${ERROR}${DONE}`)).toBe(CHUNK);
  expect([events.over, events.done]).toEqual([true, undefined]);
  expect(String(events.failure)).toMatch(/error event/);
});

test('an unreadable event is not passed on, but earlier events are', () => {
  const take = (event: Buffer): PassThroughEvent => {
    if (event.includes('error')) throw new Error('unreadable');
    return { kind: 'pass', bytes: event };
  };
  const events = new OutgoingEvents({ take } as MeteredStream);
  expect(push(events, `${CHUNK}${ERROR}`)).toBe(CHUNK);
  expect(String(events.failure)).toMatch(/unreadable/);
});

describe('a connection that ends', () => {
  test.each([
    ['after an event', CHUNK],
    ['within an event', `${CHUNK}data: {"choi`],
    ['within the end marker', `${CHUNK}data: [DON`],
  ])('%s breaks the stream', (_when, text) => {
    const events = start();
    expect(push(events, text)).toBe(CHUNK);
    events.end();
    expect(events.done).toBeUndefined();
    expect(String(events.failure)).toMatch(/too early/);
  });

  const FINISH = 'data: {"choices":[{"index":0,"delta":{},"finish_reason": "stop"}]}\n\n';

  test.each([
    ['', ''],
    [': bye\n\n', ': bye\n\n'],
    ['data: {"choices":[]}', 'data: {"choices":[]}\n\n'],
  ])('after the finish reason and %j completes the stream', (text, passed) => {
    const events = start();
    const pushed = push(events, `${CHUNK}${FINISH}${text}`);
    expect(pushed + events.end()).toBe(`${CHUNK}${FINISH}${passed}`);
    expect([events.done?.toString(), events.failure]).toEqual([DONE, undefined]);
  });

  test.each(['data: [DO', 'data: {"choices":[],"usage":{"prompt'])(
    'within the event %s after the finish reason breaks the stream',
    (text) => {
      const events = start();
      push(events, `${CHUNK}${FINISH}${text}`);
      events.end();
      expect(events.done).toBeUndefined();
      expect(String(events.failure)).toMatch(/too early/);
    },
  );

  test('after a finish reason that reports a failure breaks the stream', () => {
    const events = start();
    push(events, `${CHUNK}${FINISH.replace('"stop"', '"error"')}`);
    events.end();
    expect(events.done).toBeUndefined();
  });

  test('after an end marker and a blank completes the stream', () => {
    const events = start();
    push(events, `${CHUNK}data: [DONE] \n\n`);
    expect(events.done?.toString()).toBe(DONE);
  });

  test('after an end marker without its blank line completes the stream', () => {
    const events = start();
    push(events, `${CHUNK}data: [DONE]`);
    events.end();
    expect([events.done?.toString(), events.failure]).toEqual([DONE, undefined]);
  });
});

test('a stream is complete after its end marker and cannot fail any more', () => {
  const events = start();
  push(events, DONE);
  events.break(new Error('reset'));
  expect(events.failure).toBeUndefined();
});
