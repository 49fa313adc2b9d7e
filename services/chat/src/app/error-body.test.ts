import type { HttpResponse } from '@gateway/http-client';
import { UpstreamError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { beginBody } from './error-body';

const ERROR = '{"error":{"code":429,"message":"Rate limited"}}';
const REPLY = '{"choices":[{"index":0,"message":{"content":"Hi"}}]}';

async function* inPieces(pieces: readonly string[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

function begin(pieces: readonly string[], isWhole = true): Promise<HttpResponse['body']> {
  return beginBody({ body: inPieces(pieces), headers: {} }, {}, isWhole);
}

async function piecesOf(body: HttpResponse['body']): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(String(piece));
  return pieces;
}

describe('an error is thrown', () => {
  test.each<[string, string[]]>([
    ['at once', [ERROR]],
    ['in pieces', [ERROR.slice(0, 20), ERROR.slice(20)]],
    ['after white space in its piece', [`\n \r\n${ERROR}`]],
    ['after more white space than is searched', [' '.repeat(4_000) + ERROR]],
    ['after pieces of white space', ['\n', '', ' \n', ERROR]],
    ['after a silence', ['', ERROR]],
    ['as an event', [`data: ${ERROR}\n\n`]],
    ['as a named event, after a comment', [`: wait\n\nevent: error\ndata: ${ERROR}\n\n`]],
    ['as an event after pieces of white space', ['\n', '\n', `data:${ERROR}\n\n`, 'data: [DONE]\n\n']],
    ['as an event without a blank line', [`data: ${ERROR}`]],
  ])('%s', async (_, pieces) => {
    const thrown = await begin(pieces).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(UpstreamError);
    expect(thrown).toMatchObject({ failure: { kind: 'status', status: 429, message: 'Rate limited' } });
  });
});

describe('a body begins', () => {
  test.each<[string, string[]]>([
    ['a reply in pieces', [REPLY.slice(0, 9), REPLY.slice(9)]],
    ['a reply after white space', ['\n', '', ' \n', REPLY]],
    ['nothing', []],
    ['nothing but white space', ['\n', '\n']],
    ['a stream that fails after its content', [`data: ${REPLY}\n\ndata: ${ERROR}\n\n`]],
  ])('as it is: %s', async (_, pieces) => {
    expect((await piecesOf(await begin(pieces))).join('')).toBe(pieces.join(''));
  });

  test('after a bounded amount of white space', async () => {
    const blank = ' '.repeat(8 * 1024);
    const [begun] = await piecesOf(await begin(Array(100).fill(blank)));
    expect(begun!.length).toBeLessThanOrEqual(72 * 1024);
  });

  test('with its first piece in a stream, whose beginning has a deadline', async () => {
    expect(await piecesOf(await begin(['\n', REPLY], false))).toEqual(['\n', REPLY]);
  });
});
