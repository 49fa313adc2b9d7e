import { expect, test } from '@jest/globals';
import type { AdminModel } from '../../../api/admin-models';
import { changesOf, emptyModel, fromModel, newTarget, toChange } from './model-draft';

const MODEL = {
  slug: 'sim/video',
  name: 'Simulated video',
  aliases: ['sim/video-2026-01-01'],
  status: 'active',
  preview: true,
  successor: null,
  input_modalities: ['text', 'image'],
  output_modalities: ['video'],
  context_length: 0,
  max_output_tokens: 0,
  output_floor_tokens: 0,
  max_image_tokens: 85,
  capabilities: ['tools'],
  workflow: ['create'],
  targets: [
    {
      provider: 'sim',
      upstream_model: 'video',
      weight: 2,
      priority: 0,
      connect_timeout_ms: 0,
      first_byte_timeout_ms: 5_000,
      idle_timeout_ms: 0,
      cost: { input: 1, output: 2, service_tiers: {} },
    },
  ],
  strategy: 'least-busy',
  fallback_models: [],
  image: null,
  video: { default_duration: 5, tiers: {} },
  pricing: null,
  created_at: '2026-11-21T00:00:00.000Z',
} as unknown as AdminModel;

test('a catalog entry is unchanged by a form without edits', () => {
  const { change, problems } = toChange(fromModel(MODEL));
  const { slug, status, pricing, created_at, ...same } = MODEL;
  expect([...problems]).toEqual([]);
  expect(change).toEqual({
    ...same,
    targets: [
      {
        provider: 'sim',
        upstream_model: 'video',
        weight: 2,
        priority: 0,
        first_byte_timeout_ms: 5_000,
        cost: { input: 1, output: 2, service_tiers: {} },
      },
    ],
  });
});

test('only changed fields are sent', () => {
  const before = toChange(fromModel(MODEL)).change;
  const after = toChange({ ...fromModel(MODEL), name: 'Other', capabilities: [] }).change;
  expect(changesOf(before, after)).toEqual({ name: 'Other', capabilities: [] });
  expect(changesOf(before, toChange(fromModel(MODEL)).change)).toEqual({});
});

test('invalid values are reported at their fields', () => {
  const draft = {
    ...emptyModel(),
    output_modalities: ['image'],
    image: '{',
    video: '{',
    counts: { ...emptyModel().counts, context_length: 'many', max_output_tokens: '16,384' },
  };
  const [target] = draft.targets;
  const numbers = { ...target!.numbers, weight: '1.5' };
  const { change, problems } = toChange({ ...draft, targets: [{ ...newTarget(), numbers }] });
  expect([...problems.keys()]).toEqual(['name', 'context_length', 'targets.0.weight', 'image']);
  expect(change.max_output_tokens).toBe(16_384);
});
