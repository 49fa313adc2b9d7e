import { UpstreamError } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MediaRefused } from '../domain/media-refused';
import type { Upstream } from '../domain/upstream';
import { anOrder, aProviderCall } from '../images/rules/image-order.fixture';
import type { ImageProvider } from '../images/rules/image-provider';
import { type FakeReply, FakeUpstream } from '../testing/fake-upstream';
import { mutated } from '../testing/mutated';
import { bflImages } from './bfl/bfl-images';
import { geminiImages } from './gemini/gemini-images';
import { openAiImages } from './openai/openai-images';

const ACCOUNT = { id: 'x', baseUrl: 'https://x.test', apiKey: 'k' };
const SAMPLE = 'https://files.x.test/a.png';
const TASK = { id: 't', polling_url: 'https://x.test/v1/get_result?id=t' };
const READY = { id: 't', status: 'Ready', result: { sample: SAMPLE } };
/** What a look finds that comes to nothing before. */
const OVER: FakeReply = { json: { id: 't', status: 'Error' } };
const flux = (upstream: Upstream) => bflImages(ACCOUNT, upstream, { firstWaitMs: 0, longestWaitMs: 0 });

const FAMILIES: readonly [
  string,
  (upstream: Upstream) => ImageProvider,
  whole: object,
  replies: (reply: FakeReply) => FakeReply[],
][] = [
  [
    'OpenAI',
    (upstream) => openAiImages(ACCOUNT, upstream),
    {
      created: 1,
      data: [{ b64_json: 'AAAA' }],
      output_format: 'png',
      usage: { input_tokens: 5, input_tokens_details: { text_tokens: 5, image_tokens: 0 }, output_tokens: 9 },
      error: { code: 'x', type: 'y', message: 'z', param: null },
    },
    (reply) => [reply],
  ],
  [
    'Gemini',
    (upstream) => geminiImages(ACCOUNT, upstream),
    {
      candidates: [
        {
          content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: 5,
        candidatesTokenCount: 9,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 9 }],
      },
      error: { code: 400, status: 'INVALID_ARGUMENT', message: 'z', details: [{ retryDelay: '1s' }] },
    },
    (reply) => [reply],
  ],
  ['FLUX, an order', flux, TASK, (reply) => [reply, { json: READY }, OVER]],
  ['FLUX, a look', flux, READY, (reply) => [{ json: TASK }, reply, OVER]],
];

const mutation = fc.tuple(fc.array(fc.nat(20), { maxLength: 8 }), fc.jsonValue());

test.each(FAMILIES)('%s: whatever is said is images, none, or a failure', (_name, create, whole, replies) =>
  fc.assert(
    fc.asyncProperty(mutation, fc.constantFrom(200, 400, 429, 500), async ([path, by], status) => {
      const reply = { status, json: mutated(whole, path, by) };
      const provider = create(new FakeUpstream(...replies(reply)));
      try {
        const { images, tokens } = await provider.generate(anOrder({ acceptsLinks: true }), aProviderCall());
        for (const image of images) {
          expect('url' in image ? image.url : image.base64).toMatch(/./);
          expect(image.mime).toMatch(/^image\//);
        }
        for (const figure of Object.values(tokens ?? {})) expect(Number.isSafeInteger(figure)).toBe(true);
        for (const figure of Object.values(tokens ?? {})) expect(figure).toBeGreaterThanOrEqual(0);
      } catch (error) {
        if (!(error instanceof UpstreamError || error instanceof MediaRefused)) throw error;
      }
    }),
  ),
);
