import { describe, expect, test } from '@jest/globals';
import type { VideoOffer } from '../../domain/model';
import type { Upload } from '../../domain/upload';
import { fitVideoRequest } from './fit-video-request';
import type { VideoRequest } from './video-request';

const offer: VideoOffer = {
  features: {
    durations: [4, 6, 8],
    minDuration: 0,
    maxDuration: 0,
    defaultDuration: 6,
    aspectRatios: ['16:9', '9:16'],
    defaultAspectRatio: '16:9',
    maxReferenceImages: 1,
    maxPromptChars: 20,
    tiers: new Map([
      ['fast', { resolution: '720p', durations: [] }],
      ['best', { resolution: '4k', durations: [8] }],
    ]),
  },
  pricing: {
    tiers: ['fast', 'best'],
    default_tier: 'fast',
    per_second: { fast: 1n, best: 3n },
  },
};
const request: VideoRequest = { model: 'a/b', prompt: 'a cat', images: [] };
const agree = (fields: Partial<VideoRequest> = {}, changed: VideoOffer = offer) =>
  fitVideoRequest({ ...request, ...fields }, changed);
const image = { part: 'image', kind: 'png', bytes: 1 } as Upload;

test('the prompt limit counts characters', () => {
  expect(agree({ prompt: '😀'.repeat(20) })).toMatchObject({ tier: 'fast' });
  expect(() => agree({ prompt: '😀'.repeat(21) })).toThrow(
    expect.objectContaining({ code: 'video_generation_failed' }),
  );
});

test("omitted parameters get the model's defaults", () => {
  const aspectRatio = '16:9';
  expect(agree()).toEqual({ tier: 'fast', seconds: 6, perSecondNano: 1n, resolution: '720p', aspectRatio });
  const best = { tier: 'best', seconds: 8, perSecondNano: 3n, resolution: '4k' };
  expect(agree({ tier: 'best' })).toEqual({ ...best, aspectRatio });
  expect(agree({ tier: 'best', images: [image] })).toEqual(best);
});

test('given parameters are used', () => {
  const wanted = { tier: 'best', seconds: 8, resolution: '4K', aspectRatio: '9:16', images: [image] };
  expect(agree(wanted)).toEqual({
    tier: 'best',
    seconds: 8,
    perSecondNano: 3n,
    resolution: '4k',
    aspectRatio: '9:16',
  });
});

test.each(['Fast', 'FAST', 'fast ', '', 'toString', '720p'])(
  'rejects the tier %j as video_tier_not_found',
  (tier) => {
    expect(() => agree({ tier })).toThrow(
      expect.objectContaining({ code: 'video_tier_not_found', param: 'tier' }),
    );
  },
);

test('requires a tier if the model has no default', () => {
  const { default_tier: _none, ...pricing } = offer.pricing;
  expect(() => agree({}, { ...offer, pricing })).toThrow(
    expect.objectContaining({ code: 'video_tier_not_found' }),
  );
});

describe('unsupported parameters are rejected', () => {
  test.each<[Partial<VideoRequest>, RegExp]>([
    [{ seconds: 5 }, /fast supports 4, 6, 8 seconds/],
    [{ seconds: 6.5 }, /duration/],
    [{ seconds: 1e15 }, /duration/],
    [{ seconds: 4, tier: 'best' }, /best supports 8 seconds/],
    [{ resolution: '4k' }, /resolution: tier fast is 720p/],
    [{ aspectRatio: '1:1' }, /aspect_ratio: one of 16:9, 9:16/],
    [{ images: [image, image] }, /at most 1/],
    [{ prompt: 'x'.repeat(21) }, /prompt: at most 20/],
  ])('such as %j', (fields, detail) => {
    expect(() => agree(fields)).toThrow(
      expect.objectContaining({
        code: 'video_generation_failed',
        shouldRetry: false,
        detail: expect.stringMatching(detail),
      }),
    );
  });
});

test('a range of durations allows whole seconds only', () => {
  const features = { ...offer.features, durations: [], minDuration: 3, maxDuration: 15, defaultDuration: 5 };
  const range = { ...offer, features };
  expect([agree({}, range), agree({ seconds: 3 }, range), agree({ seconds: 15 }, range)]).toMatchObject([
    { seconds: 5 },
    { seconds: 3 },
    { seconds: 15 },
  ]);
  for (const seconds of [2, 16, 4.5]) {
    expect(() => agree({ seconds }, range)).toThrow('Video generation failed.');
  }
});
