import { expect, test } from '@jest/globals';
import { ClientStream } from './client-stream';

const PACE = { graceMs: 60_000, leastBytesPerSecond: 1 };
const HASTE = { graceMs: 20, leastBytesPerSecond: 1_000_000 };
const piece = (text: string) => Buffer.from(text);

async function read(stream: ClientStream): Promise<string> {
  let text = '';
  for await (const bytes of stream) text += bytes.toString();
  return text;
}

test('passes pieces on in order, and ends when the writer ends', async () => {
  const stream = new ClientStream(new AbortController().signal, PACE);
  const text = read(stream);
  for (const one of ['a', 'b', 'c']) await stream.push(piece(one));
  stream.end();
  expect(await text).toBe('abc');
});

test('makes the writer wait until a piece has been taken', async () => {
  const stream = new ClientStream(new AbortController().signal, PACE);
  const reader = stream[Symbol.asyncIterator]();
  let taken = false;
  const pushed = stream.push(piece('a')).then(() => {
    taken = true;
  });
  expect((await reader.next()).value?.toString()).toBe('a');
  expect(taken).toBe(false);
  const next = reader.next();
  await pushed;
  stream.end();
  expect((await next).done).toBe(true);
});

test('a client that disconnects neither stops the writer nor gets the rest', async () => {
  const client = new AbortController();
  const stream = new ClientStream(client.signal, PACE);
  let left = 0;
  stream.onLeft = () => left++;
  const waiting = stream.push(piece('a'));
  client.abort();
  await waiting;
  await stream.push(piece('b'));
  stream.end();
  expect([await read(stream), left, stream.hasLeft]).toEqual(['', 1, true]);
});

test('a client that was gone before the reply began is reported', () => {
  const stream = new ClientStream(AbortSignal.abort(), PACE);
  let left = false;
  stream.onLeft = () => {
    left = true;
  };
  expect(left).toBe(true);
});

test('a client that reads too slowly gets an incomplete reply, and the writer goes on', async () => {
  const stream = new ClientStream(new AbortController().signal, HASTE);
  await stream.push(piece('a'));
  await stream.push(piece('b'));
  stream.end();
  await expect(read(stream)).rejects.toThrow('too slowly');
});

test("the writer's error ends the reply", async () => {
  const stream = new ClientStream(new AbortController().signal, PACE);
  const text = read(stream);
  stream.end(new Error('broken'));
  await expect(text).rejects.toThrow('broken');
});
