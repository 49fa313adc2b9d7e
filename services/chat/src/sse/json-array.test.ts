import { expect, test } from '@jest/globals';
import { toJsonArray } from './json-array';

async function* chunksOf(...chunks: string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function arrayOf(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const written: string[] = [];
  for await (const chunk of toJsonArray(chunks)) written.push(chunk.toString());
  return written;
}

test('events become elements as they arrive, and silence becomes white space', async () => {
  const chunks = chunksOf(
    '\n\n',
    'data: {"a":1}\n\ndata: {"a":2}\r\n\r\n',
    ': wait\n\n',
    'data: {"error":{}}\n\n',
  );
  const written = await arrayOf(chunks);
  expect(written).toEqual(['\n', '[{"a":1},\n{"a":2}', '\n', ',\n{"error":{}}', ']']);
  expect(JSON.parse(written.join(''))).toEqual([{ a: 1 }, { a: 2 }, { error: {} }]);
});

test('a stream without events is an empty array', async () => {
  expect(JSON.parse((await arrayOf(chunksOf('\n\n'))).join(''))).toEqual([]);
});

test('a client that disconnects ends the stream', async () => {
  let ended = false;
  async function* endless(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield Buffer.from('data: {}\n\n');
    } finally {
      ended = true;
    }
  }
  for await (const _ of toJsonArray(endless())) break;
  expect(ended).toBe(true);
});
