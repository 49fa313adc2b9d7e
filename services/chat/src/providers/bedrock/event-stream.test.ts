import { describe, expect, test } from '@jest/globals';
import { toServerSentEvents } from './event-stream';
import { encodeMessage, messageOf } from './messages.fixture';

const HI = messageOf('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hi – ü' }, p: 'abc' });
const HI_EVENT =
  'event: contentBlockDelta\ndata: {"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Hi – ü"},"p":"abc"}}\n\n';
const STOP = messageOf('messageStop', { stopReason: 'end_turn' });
const STOP_EVENT = 'event: messageStop\ndata: {"messageStop":{"stopReason":"end_turn"}}\n\n';

interface Converted {
  readonly pieces: readonly string[];
  readonly failure: string | undefined;
  /** The connection was closed. */
  readonly isClosed: boolean;
}

async function convert(pieces: readonly Buffer[]): Promise<Converted> {
  let isClosed = false;
  const source = pieces[Symbol.iterator]();
  const body: AsyncIterableIterator<Buffer> = {
    [Symbol.asyncIterator]: () => body,
    next: async () => source.next() as IteratorResult<Buffer>,
    return: async () => {
      isClosed = true;
      return { value: undefined, done: true };
    },
  };
  const converted: string[] = [];
  let failure: string | undefined;
  try {
    for await (const piece of toServerSentEvents(body)) converted.push(piece.toString());
  } catch (error) {
    failure = (error as Error).message;
  }
  return { pieces: converted, failure, isClosed };
}

function flipped(message: Buffer, at: number): Buffer {
  const copy = Buffer.from(message);
  copy[at]! ^= 1;
  return copy;
}

function withLength(message: Buffer, bytes: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt32BE(bytes);
  return copy;
}

test.each([1, 3, 4, 5, 64, 10_000])('messages in pieces of %i bytes become events', async (bytes) => {
  const all = Buffer.concat([HI, STOP]);
  const pieces: Buffer[] = [];
  for (let at = 0; at < all.length; at += bytes) pieces.push(all.subarray(at, at + bytes));
  const { pieces: converted, failure } = await convert(pieces);
  expect(converted.join('')).toBe(HI_EVENT + STOP_EVENT);
  expect(failure).toBeUndefined();
});

test('empty pieces, which stand for silence, are passed on', async () =>
  expect((await convert([HI, Buffer.alloc(0), STOP])).pieces).toEqual([HI_EVENT, '', STOP_EVENT]));

test('line ends in the JSON of a payload do not end the event', async () => {
  const message = encodeMessage(
    { ':event-type': 'metadata', ':message-type': 'event' },
    '{\r\n  "usage": {"text": "a\\nb"}\n}',
  );
  expect((await convert([message])).pieces).toEqual([
    'event: metadata\ndata: {"metadata":{   "usage": {"text": "a\\nb"} }}\n\n',
  ]);
});

test('an event without a payload has an empty object', async () => {
  const message = encodeMessage({ ':event-type': 'ping', ':message-type': 'event' }, '');
  expect((await convert([message])).pieces).toEqual(['event: ping\ndata: {"ping":{}}\n\n']);
});

describe('an exception', () => {
  test.each([
    ['validationException', 400],
    ['accessDeniedException', 403],
    ['resourceNotFoundException', 404],
    ['modelTimeoutException', 408],
    ['modelStreamErrorException', 424],
    ['throttlingException', 429],
    ['internalServerException', 500],
    ['serviceUnavailableException', 503],
    ['someNewException', 500],
  ])('%s is an error event with the status %i', async (type, status) => {
    const { pieces } = await convert([messageOf(type, { message: 'No.\n', originalStatusCode: 1 })]);
    const data = { error: { type, status }, message: 'No.\n' };
    expect(pieces).toEqual([`event: error\ndata: ${JSON.stringify(data)}\n\n`]);
  });

  test('with a payload that is not JSON is an error event without a message', async () => {
    const headers = { ':exception-type': 'throttlingException', ':message-type': 'exception' };
    expect((await convert([encodeMessage(headers, '<html>')])).pieces).toEqual([
      'event: error\ndata: {"error":{"type":"throttlingException","status":429},"message":""}\n\n',
    ]);
  });

  test('that is not modeled has its code and message in headers', async () => {
    const headers = { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'Oops' };
    expect((await convert([encodeMessage(headers, '')])).pieces).toEqual([
      'event: error\ndata: {"error":{"type":"InternalError","status":500},"message":"Oops"}\n\n',
    ]);
  });
});

describe('a stream fails, after its earlier messages, and its connection is closed', () => {
  test.each<[string, Buffer]>([
    ['a changed byte of the payload', flipped(HI, HI.length - 10)],
    ['a changed byte of a header', flipped(HI, 20)],
    ['a changed checksum', flipped(HI, HI.length - 1)],
    ['a changed checksum of the head', flipped(HI, 9)],
    ['a length shorter than any message', withLength(HI, 15)],
    ['a length of zero', withLength(HI, 0)],
    ['a length beyond the maximum', withLength(HI, 16 * 1024 * 1024 + 1)],
    ['the largest length', withLength(HI, 0xffff_ffff)],
    ['text instead of messages', Buffer.from('data: {"type":"message_start"}\n\n')],
    ['a message of no known kind', encodeMessage({ ':message-type': 'other' }, '{}')],
    ['a message without headers', encodeMessage({}, '{}')],
    ['an event without a type', encodeMessage({ ':message-type': 'event' }, '{}')],
    [
      'an event whose type has a line end',
      encodeMessage({ ':message-type': 'event', ':event-type': 'a\nb' }, '{}'),
    ],
  ])('at %s', async (_what, bad) => {
    for (const pieces of [[STOP, bad], [Buffer.concat([STOP, bad])]]) {
      const converted = await convert(pieces);
      expect(converted).toMatchObject({ pieces: [STOP_EVENT], failure: expect.any(String), isClosed: true });
    }
  });

  test('when it is cut within a message', async () => {
    for (const bytes of [1, 4, 12, HI.length - 1]) {
      const { pieces, failure } = await convert([STOP, HI.subarray(0, bytes)]);
      expect([bytes, pieces, failure]).toEqual([bytes, [STOP_EVENT], 'event stream ends within a message']);
    }
  });
});

test('a change of any byte is noticed', async () => {
  for (let at = 0; at < HI.length; at++) {
    const { pieces, failure } = await convert([STOP, flipped(HI, at), STOP]);
    expect([at, pieces]).toEqual([at, [STOP_EVENT]]);
    expect(failure).toBeDefined();
  }
});

test('a failure does not quote the stream', async () => {
  const { failure } = await convert([flipped(messageOf('contentBlockDelta', { secret: 'words' }), 120)]);
  expect(failure).not.toMatch(/secret|words/);
});

test('closing it closes the connection also while the next piece has not arrived', async () => {
  let isClosed = false;
  const body: AsyncIterableIterator<Buffer> = {
    [Symbol.asyncIterator]: () => body,
    next: () => new Promise(() => {}),
    return: async () => {
      isClosed = true;
      return { value: undefined, done: true };
    },
  };
  const events = toServerSentEvents(body);
  void events.next();
  await events.return?.();
  expect(isClosed).toBe(true);
});
