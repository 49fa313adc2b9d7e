import { describe, expect, test } from '@jest/globals';
import { beginStream } from './begin-stream';

const CHUNK = 'data: {"choices":[]}\n\n';

/** A reply in these pieces, which notes whether it was let go. */
function reply(pieces: readonly string[], failure?: Error) {
  const seen = { released: false };
  async function* read(): AsyncGenerator<Buffer> {
    try {
      for (const piece of pieces) yield Buffer.from(piece);
      if (failure) throw failure;
    } finally {
      seen.released = true;
    }
  }
  return { body: read(), seen };
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const bytes of body) text += bytes.toString();
  return text;
}

describe('a stream that begins', () => {
  test.each([
    ['in one piece', [`${CHUNK}${CHUNK}data: [DO`, 'NE]\n\n']],
    ['in many', [...`${CHUNK}${CHUNK}data: [DONE]\n\n`]],
  ])('%s is passed on to the byte', async (_name, pieces) => {
    expect(await textOf(await beginStream(reply(pieces).body, 1_000))).toBe(pieces.join(''));
  });

  test('after comments goes on without them', async () => {
    const { body } = reply([': wait\n\n: wait', `\n\n${CHUNK}: wait\n\n`, CHUNK]);
    expect(await textOf(await beginStream(body, 1_000))).toBe(`${CHUNK}: wait\n\n${CHUNK}`);
  });

  test('and is left in the middle lets the reply go', async () => {
    const { body, seen } = reply([CHUNK, CHUNK, CHUNK]);
    for await (const _bytes of await beginStream(body, 1_000)) break;
    expect(seen.released).toBe(true);
  });
});

describe('a stream that fails before its first event', () => {
  test.each([
    ['by its end', []],
    ['by its end within an event', ['data: {"choi']],
    ['with an error', ['data: {"error":{"message":"overloaded"}}\n\n']],
    ['with an error of another kind', ['data: {"object":"error","message":"overloaded"}\n\n']],
    ['with an error by its name alone', ['event: error\ndata: {"message":"overloaded"}\n\n']],
    ['with its end', ['data: [DONE]\n\n']],
    ['with what is no JSON', ['data: <html>\n\n']],
    ['with a bare value', ['data: 7\n\n']],
  ])('%s', async (_name, pieces) => {
    const { body, seen } = reply(pieces);
    await expect(beginStream(body, 1_000)).rejects.toThrow(/stream (ended|begins)/);
    expect(seen.released).toBe(true);
  });

  test('by its connection: that error', async () => {
    await expect(beginStream(reply([': wait\n\n'], new Error('reset')).body, 1_000)).rejects.toThrow('reset');
  });
});
