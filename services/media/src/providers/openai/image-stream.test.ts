import { describe, expect, test } from '@jest/globals';
import { MediaRefused } from '../../domain/media-refused';
import { anOrder } from '../../images/rules/image-order.fixture';
import type { PartialImage } from '../../images/rules/image-provider';
import { readImageStream } from './image-stream';

const event = (data: object) => `event: x\ndata: ${JSON.stringify(data)}\n\n`;
const PARTIAL = event({ type: 'image_generation.partial_image', b64_json: 'AAAA', partial_image_index: 0 });
const COMPLETED = event({
  type: 'image_generation.completed',
  b64_json: 'BBBB',
  output_format: 'webp',
  usage: { input_tokens: 7, output_tokens: 1_156, total_tokens: 1_163 },
});
const WHOLE = Buffer.from(PARTIAL + COMPLETED);
const RESULT = {
  images: [{ mime: 'image/webp', base64: 'BBBB' }],
  tokens: { textInput: 7, imageInput: 0, output: 1_156 },
};

async function read(...pieces: (string | Buffer)[]) {
  const partial: PartialImage[] = [];
  async function* body() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  const result = await readImageStream({ body: body(), headers: { 'x-request-id': 'req_7' } }, anOrder(), {
    onPartial: async (image) => void partial.push(image),
  });
  return { result, partial };
}

test('is read the same wherever its bytes are divided', async () => {
  for (let at = 0; at <= WHOLE.length; at++) {
    expect(await read(WHOLE.subarray(0, at), WHOLE.subarray(at))).toEqual({
      result: RESULT,
      partial: [{ base64: 'AAAA', index: 0 }],
    });
  }
});

test('is broken wherever its bytes end, unless only the blank line is missing', async () => {
  expect((await read(WHOLE.subarray(0, -2))).result).toEqual(RESULT);
  for (let at = 0; at < WHOLE.length - 2; at++) {
    await expect(read(WHOLE.subarray(0, at))).rejects.toMatchObject({ failure: { kind: 'broken' } });
  }
});

test('is complete with its last event, whatever follows', async () => {
  expect((await read(WHOLE, event({ type: 'error', error: {} }))).result).toEqual(RESULT);
});

describe('a stream', () => {
  test('with comments and unknown events is read', async () => {
    const others = `: comment\n\n${event({ type: 'image_generation.queued' })}`;
    expect((await read(others, WHOLE)).result).toEqual(RESULT);
  });

  test.each([
    ['an error', event({ error: { code: 'server_error', message: 'x' } })],
    ['an error by its type', event({ type: 'error', code: 'server_error', message: 'x' })],
    ['an event without JSON', 'data: {"type":\n\n'],
  ])('with %s is broken', async (_what, text) => {
    await expect(read(PARTIAL, text)).rejects.toMatchObject({
      failure: { kind: 'broken' },
      providerRequestId: 'req_7',
    });
  });

  test('with a completed event without an image is broken', async () => {
    const text = event({ type: 'image_generation.completed' });
    await expect(read(PARTIAL, text)).rejects.toMatchObject({ failure: { kind: 'broken' } });
  });

  test.each([
    { type: 'error', error: { code: 'moderation_blocked', message: 'Unsafe.' } },
    { type: 'error', code: 'moderation_blocked', message: 'Unsafe.' },
  ])('that is refused by policy says so: %j', async (data) => {
    const refused = await read(PARTIAL, event(data)).catch((error) => error);
    expect(refused).toBeInstanceOf(MediaRefused);
    expect(refused.detail).toBe('Unsafe.');
  });
});
