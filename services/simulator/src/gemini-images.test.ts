import { createHash } from 'node:crypto';
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { drawImage } from './domain/files/image';
import { Fixture, sim } from './server.fixture';

let simulator: Fixture;
let client: GoogleGenAI;
beforeAll(async () => {
  simulator = await Fixture.start();
  // The client's own use of fetch needs a global that tests run without.
  client = new GoogleGenAI({
    apiKey: 'k',
    httpOptions: { baseUrl: `${simulator.url}/gemini`, apiVersion: 'v1beta', fetch },
  });
});
afterAll(() => simulator.stop());

const MODEL = 'gemini-2.5-flash-image';
const picture = (seed: string) => drawImage('jpeg', { width: 64, height: 64 }, seed);
const inline = (bytes: Buffer) => ({
  inlineData: { mimeType: 'image/jpeg', data: bytes.toString('base64') },
});

interface Ask {
  readonly model?: string;
  readonly images?: Buffer[];
  readonly config?: object;
  readonly id?: string;
}

async function draw(text: string, { model = MODEL, images = [], config = {}, id = 'any' }: Ask = {}) {
  const reply = await client.models.generateContent({
    model,
    contents: [{ role: 'user', parts: [{ text }, ...images.map(inline)] }],
    config: {
      responseModalities: ['IMAGE'],
      httpOptions: { headers: { 'x-request-id': id } },
      ...config,
    },
  });
  const [candidate] = reply.candidates ?? [];
  const parts = candidate?.content?.parts ?? [];
  return { reply, finishReason: candidate?.finishReason, parts };
}

const bytesOf = (part: { inlineData?: { data?: string } } | undefined) =>
  Buffer.from(part?.inlineData?.data ?? '', 'base64');
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

test('the image has the requested ratio and size, and is equal for equal requests', async () => {
  const { reply, parts, finishReason } = await draw('a cat', { id: 'g1' });
  expect([finishReason, parts.length, parts[0]?.inlineData?.mimeType]).toEqual(['STOP', 1, 'image/png']);
  expect(sizeOf(bytesOf(parts[0]))).toEqual([1_024, 1_024]);
  expect(reply.usageMetadata).toMatchObject({
    candidatesTokenCount: 1_290,
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
  });
  expect((await draw('a cat')).parts).toEqual(parts);
  expect((await draw('a dog')).parts).not.toEqual(parts);
  const entry = await simulator.entryOf('g1');
  expect(entry).toMatchObject({
    provider: 'gemini',
    prompt_tokens: reply.usageMetadata?.promptTokenCount,
    completion_tokens: 1_290,
    media: { images: 1, size: '1024x1024', quality: '1K', output_image_tokens: 1_290 },
  });

  const imageConfig = { aspectRatio: '16:9', imageSize: '4K' };
  const large = await draw('a cat', { model: 'gemini-3-pro-image', config: { imageConfig } });
  expect(sizeOf(bytesOf(large.parts[0]))).toEqual([5_504, 3_072]);
  expect(large.reply.usageMetadata?.candidatesTokenCount).toBe(2_000);
});

test('input images arrive complete and determine the image', async () => {
  const [a, b] = [picture('a'), picture('b')];
  const first = await draw('hat', { images: [a, b], id: 'g2' });
  expect((await draw('hat', { images: [b, a] })).parts).not.toEqual(first.parts);
  expect(first.reply.usageMetadata?.promptTokensDetails).toContainEqual({
    modality: 'IMAGE',
    tokenCount: 2 * 258,
  });
  const uploads = [a, b].map((bytes, i) => ({
    part: `contents[0].parts[${i + 1}]`,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }));
  expect(await simulator.entryOf('g2')).toMatchObject({ media: { input_image_tokens: 2 * 258, uploads } });
});

test('text accompanies the image if requested', async () => {
  const config = { responseModalities: ['TEXT', 'IMAGE'] };
  const { parts, reply } = await draw(sim({ text: 'hello world' }), { config });
  expect(parts).toMatchObject([{ text: 'hello world' }, { inlineData: { mimeType: 'image/png' } }]);
  expect(reply.usageMetadata?.candidatesTokensDetails).toEqual([
    { modality: 'TEXT', tokenCount: 2 },
    { modality: 'IMAGE', tokenCount: 1_290 },
  ]);
  expect((await draw(sim({ text: 'hello world' }))).parts).toHaveLength(1);
});

test.each([
  ['IMAGE_SAFETY', 'policy', { policy: true }],
  ['IMAGE_SAFETY', 'finish', { finish_reason: 'content_filter' }],
  ['NO_IMAGE', 'none', { images: 0 }],
])(
  '%s by %s is a reply with status 200 without data, charged for its prompt',
  async (reason, name, directive) => {
    const id = `g-${name}`;
    const { finishReason, parts, reply } = await draw(sim(directive), { id });
    expect([finishReason, parts]).toEqual([reason, []]);
    expect(reply.usageMetadata).not.toHaveProperty('candidatesTokenCount');
    expect(await simulator.entryOf(id)).toMatchObject({
      status: 200,
      prompt_tokens: reply.usageMetadata?.promptTokenCount,
      completion_tokens: 0,
      media: { images: 0 },
    });
  },
);

test('requests that the real API refuses are refused', async () => {
  const ask = (generationConfig: object, parts: object[] = []) =>
    simulator
      .generate('generateContent', 'x', {
        contents: [{ role: 'user', parts: [{ text: 'x' }, ...parts] }],
        generationConfig: { responseModalities: ['IMAGE'], ...generationConfig },
      })
      .then(({ status }) => status);
  expect(await ask({})).toBe(200);
  expect(await ask({ responseModalities: ['PICTURE'] })).toBe(400);
  expect(await ask({ imageConfig: { aspectRatio: '7:5' } })).toBe(400);
  expect(await ask({ imageConfig: { imageSize: '8K' } })).toBe(400);
  expect(await ask({ imageConfig: { size: '1K' } })).toBe(400);
  expect(await ask({ candidateCount: 2 })).toBe(400);
  expect(await ask({}, [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }])).toBe(400);
  expect(await ask({}, Array(17).fill(inline(picture('a'))))).toBe(400);
});
