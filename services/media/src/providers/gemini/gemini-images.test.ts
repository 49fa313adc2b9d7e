import type { UpstreamError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { MediaRefused } from '../../domain/media-refused';
import { uploadOf } from '../../domain/upload.fixture';
import { anOrder, aProviderCall } from '../../images/rules/image-order.fixture';
import type { ImageOrder } from '../../images/rules/image-provider';
import { MASK_NOTE } from '../../images/rules/mask-note';
import { type FakeReply, FakeUpstream } from '../../testing/fake-upstream';
import { geminiImages } from './gemini-images';
import { imageShape } from './image-shape';

const ACCOUNT = { id: 'google', baseUrl: 'https://g.example.com', apiKey: 'k' };
const PART = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
const reply = (candidate: object, usageMetadata?: object) => ({
  candidates: [{ index: 0, ...candidate }],
  ...(usageMetadata && { usageMetadata }),
  modelVersion: 'm',
});
const drawn = (...parts: object[]) => reply({ content: { role: 'model', parts }, finishReason: 'STOP' });
const PROMPT_ONLY = {
  promptTokenCount: 9,
  totalTokenCount: 9,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 9 }],
};

async function generate(order: Partial<ImageOrder>, answer: FakeReply) {
  const upstream = new FakeUpstream(answer);
  const result = await geminiImages(ACCOUNT, upstream).generate(anOrder(order), aProviderCall());
  return { result, sent: upstream.sent[0]! };
}
const failure = (answer: FakeReply, order: Partial<ImageOrder> = {}) =>
  generate(order, answer).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('what is sent', () => {
  test('words, a size, the key in a header', async () => {
    const { sent } = await generate({ size: { width: 2_688, height: 1_536 } }, { json: drawn(PART) });
    expect(sent.url).toBe('https://g.example.com/v1beta/models/m:generateContent');
    expect(sent.headers).toMatchObject({ 'x-goog-api-key': 'k' });
    expect(JSON.parse(sent.body)).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'a cat' }] }],
      generationConfig: {
        responseModalities: ['IMAGE'],
        imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
      },
    });
  });

  test('no more tokens than are paid for', async () => {
    const { sent } = await generate({ maxOutputTokens: 1_548 }, { json: drawn(PART) });
    expect(JSON.parse(sent.body).generationConfig).toMatchObject({ maxOutputTokens: 1_548 });
  });

  test('images, and a mask as the last of them', async () => {
    const images = [uploadOf('image', 'first'), uploadOf('image', 'second', 'webp')];
    const { sent } = await generate({ images, mask: uploadOf('mask', 'm') }, { json: drawn(PART) });
    const [{ parts }] = JSON.parse(sent.body).contents;
    expect(parts).toEqual([
      { text: `a cat\n\n${MASK_NOTE}` },
      { inlineData: { mimeType: 'image/png', data: Buffer.from('first').toString('base64') } },
      { inlineData: { mimeType: 'image/webp', data: Buffer.from('second').toString('base64') } },
      { inlineData: { mimeType: 'image/png', data: Buffer.from('m').toString('base64') } },
    ]);
  });

  test('nothing that it does not make', async () => {
    expect(await failure({ json: drawn(PART) }, { n: 2 })).toBeInstanceOf(MediaRefused);
    expect(await failure({ json: drawn(PART) }, { size: { width: 512, height: 512 } })).toBeInstanceOf(
      MediaRefused,
    );
  });
});

test.each([
  ['1024x1024', '1:1', undefined],
  ['832x1248', '2:3', undefined],
  ['1248x832', '3:2', undefined],
  ['864x1184', '3:4', undefined],
  ['1184x864', '4:3', undefined],
  ['896x1152', '4:5', undefined],
  ['1152x896', '5:4', undefined],
  ['768x1344', '9:16', undefined],
  ['1344x768', '16:9', undefined],
  ['1536x672', '21:9', undefined],
  ['2048x2048', '1:1', '2K'],
  ['5376x3072', '16:9', '4K'],
])('%s is %s of %s', (size, aspectRatio, imageSize) => {
  const [width = 0, height = 0] = size.split('x').map(Number);
  expect(imageShape({ width, height })).toEqual({ aspectRatio, ...(imageSize && { imageSize }) });
});

test.each([
  [1_024, 512],
  [1_536, 1_536],
  [16_384, 16_384],
  [512, 512],
])('%i by %i is none of its shapes', (width, height) => {
  expect(imageShape({ width, height })).toBeUndefined();
});

describe('what comes back', () => {
  test('an image among words and drafts, tokens by kind', async () => {
    const usageMetadata = {
      promptTokenCount: 527,
      candidatesTokenCount: 1_300,
      thoughtsTokenCount: 40,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 11 },
        { modality: 'IMAGE', tokenCount: 516 },
      ],
      candidatesTokensDetails: [
        { modality: 'TEXT', tokenCount: 10 },
        { modality: 'IMAGE', tokenCount: 1_290 },
      ],
    };
    const json = { ...drawn({ text: 'Here.' }, { ...PART, thought: true }, PART), usageMetadata };
    expect((await generate({}, { json })).result).toEqual({
      images: [{ mime: 'image/png', base64: 'AAAA' }],
      tokens: { textInput: 11, imageInput: 516, output: 1_290, textOutput: 50 },
    });
  });

  test.each<[string, object, object]>([
    [
      'words that are not told as such',
      { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 2_000 }], thoughtsTokenCount: 337 },
      { output: 2_000, textOutput: 677 },
    ],
    ['nothing of its kinds', {}, { output: 2_340 }],
    [
      'words alone',
      { candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 40 }] },
      { output: 2_300, textOutput: 40 },
    ],
    [
      'more images than there are tokens',
      { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 9_999 }] },
      { output: 2_340 },
    ],
  ])('of the answer %s', async (_what, told, expected) => {
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 2_340, ...told };
    const { result } = await generate({}, { json: { ...drawn(PART), usageMetadata } });
    expect(result.tokens).toEqual({ textInput: 9, imageInput: 0, ...expected });
  });

  test('no more images than were ordered, whatever the prompt made of it', async () => {
    const second = { inlineData: { mimeType: 'image/png', data: 'BBBB' } };
    const { result } = await generate({}, { json: drawn(PART, second) });
    expect(result.images).toEqual([{ mime: 'image/png', base64: 'AAAA' }]);
  });

  test('no image, for no reason of policy', async () => {
    const { result } = await generate({}, { json: reply({ finishReason: 'NO_IMAGE' }, PROMPT_ONLY) });
    expect(result).toEqual({ images: [], tokens: { textInput: 9, imageInput: 0, output: 0 } });
  });

  test.each(['IMAGE_SAFETY', 'SAFETY', 'PROHIBITED_CONTENT', 'RECITATION'])(
    '%s costs its prompt',
    async (finishReason) => {
      const refused = await failure({ json: reply({ finishReason }, PROMPT_ONLY) });
      expect(refused).toBeInstanceOf(MediaRefused);
      expect((refused as MediaRefused).tokens).toEqual({ textInput: 9, imageInput: 0, output: 0 });
    },
  );

  test('a blocked prompt', async () => {
    const json = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: PROMPT_ONLY };
    expect(await failure({ json })).toBeInstanceOf(MediaRefused);
  });

  test.each<[string, FakeReply]>([
    ['no JSON', { bytes: Buffer.from('{"candidates":[{"con') }],
    ['an object that is no reply', { json: { ok: true } }],
    ['null', { json: null }],
  ])('%s is broken', async (_what, answer) => {
    expect(await failure(answer)).toMatchObject({ failure: { kind: 'broken' } });
  });
});

test.each<[string, FakeReply, object]>([
  [
    'a 429 that tells the wait in its body',
    {
      status: 429,
      json: {
        error: {
          code: 429,
          message: 'Quota.',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12.4s' }],
        },
      },
    },
    { status: 429, retryAfterSeconds: 13 },
  ],
  [
    'a bad key of ours',
    { status: 400, json: { error: { status: 'INVALID_ARGUMENT', message: 'API key not valid.' } } },
    { status: 401 },
  ],
  [
    'a bad request',
    { status: 400, json: { error: { message: 'Too long.' } } },
    { status: 400, message: 'Too long.' },
  ],
  ['an overload', { status: 503, json: { error: { message: 'Overloaded.' } } }, { status: 503 }],
])('%s', async (_what, answer, expected) => {
  const error = (await failure(answer)) as UpstreamError;
  expect(error.failure).toMatchObject({ kind: 'status', ...expected });
});
