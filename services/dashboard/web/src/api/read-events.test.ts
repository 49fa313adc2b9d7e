import { expect, test } from '@jest/globals';
import { readEvents } from './read-events';

async function eventsOf(chunks: readonly (string | Uint8Array)[]): Promise<string[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
      controller.close();
    },
  });
  const events: string[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

test.each([
  ['in one chunk', ['data: a\n\ndata: b\n\n'], ['a', 'b']],
  ['split at any byte', ['da', 'ta: a\n', '\nda', 'ta: b', '\n\n'], ['a', 'b']],
  ['with CRLF split between chunks', ['data: a\r', '\n\r\n'], ['a']],
  ['of several lines', ['data: a\ndata: b\n\n'], ['a\nb']],
  ['without a space after the colon', ['data:a\n\n'], ['a']],
  ['with comments and event names between them', [': keep-alive\n\nevent: x\ndata: a\n\n'], ['a']],
  ['up to an incomplete last event', ['data: a\n\ndata: b\n'], ['a']],
])('reads events %s', async (_, chunks, expected) => {
  expect(await eventsOf(chunks)).toEqual(expected);
});

test('joins a character that was split between chunks', async () => {
  const bytes = new TextEncoder().encode('data: ü\n\n');
  expect(await eventsOf([bytes.slice(0, 7), bytes.slice(7)])).toEqual(['ü']);
});

test('cancels the call when the reader stops', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: a\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const event of readEvents(body)) {
    expect(event).toBe('a');
    break;
  }
  expect(isCancelled).toBe(true);
});
