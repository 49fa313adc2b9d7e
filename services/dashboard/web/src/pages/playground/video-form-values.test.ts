import { expect, test } from '@jest/globals';
import type { Model } from '../../api/models';
import { chosenVideo } from './video-form-values';

const modelOf = (video: object = {}, default_tier: string | null = 'std') =>
  ({
    video: {
      durations: [5, 10],
      min_duration: 0,
      max_duration: 0,
      default_duration: 5,
      aspect_ratios: ['16:9', '1:1'],
      default_aspect_ratio: '16:9',
      tiers: { std: { resolution: '720p', durations: [] }, pro: { resolution: '1080p', durations: [8] } },
      ...video,
    },
    pricing: { video: { tiers: ['std', 'pro'], default_tier, per_second: { std: 0.05, pro: 0.1 } } },
  }) as unknown as Model;
const NOTHING = { tier: '', duration: 0, aspect_ratio: '' };

test('uses the model’s defaults', () => {
  expect(chosenVideo(NOTHING, modelOf())).toEqual({
    fields: { tier: 'std', duration: 5, aspect_ratio: '16:9' },
    costUsd: 0.25,
  });
  expect(chosenVideo(NOTHING, modelOf({}, null)).fields.tier).toBe('std');
});

test('uses the chosen values', () => {
  const values = { tier: 'std', duration: 10, aspect_ratio: '1:1' };
  expect(chosenVideo(values, modelOf())).toEqual({ fields: values, costUsd: 0.5 });
});

test('drops values that the tier or the model does not support', () => {
  const values = { tier: 'pro', duration: 10, aspect_ratio: '9:16' };
  expect(chosenVideo(values, modelOf()).fields).toEqual({ tier: 'pro', duration: 8, aspect_ratio: '16:9' });
  expect(chosenVideo({ ...values, tier: 'max' }, modelOf()).fields.tier).toBe('std');
});

test('accepts every integer within the bounds', () => {
  const free = modelOf({ durations: [], min_duration: 3, max_duration: 15 });
  const seconds = (duration: number) => chosenVideo({ ...NOTHING, duration }, free).fields.duration;
  expect([7, 3, 15, 2, 16].map(seconds)).toEqual([7, 3, 15, 5, 5]);
});

test('omits the ratio for a model without ratios', () => {
  expect(
    chosenVideo(NOTHING, modelOf({ aspect_ratios: [], default_aspect_ratio: '' })).fields,
  ).not.toHaveProperty('aspect_ratio');
});
