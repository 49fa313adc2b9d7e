import { GatewayError } from '@gateway/errors';
import { expect, test } from '@jest/globals';
import type { Model } from '../../domain/model';
import { recordedModel } from './recorded-model';

const NAMES = ['sim/image', 'sim/image-2026-01-01'];
const models = {
  get: (name: string) => (NAMES.includes(name) ? ({ slug: 'sim/image' } as Model) : undefined),
};

test.each([
  ['sim/image', 'invalid_request', 'sim/image'],
  ['sim/image-2026-01-01', 'invalid_request', 'sim/image'],
  ['sim/image-2026-01-01', 'model_not_found', 'sim/image'],
  ['x/made-up', 'invalid_request', ''],
  ['x/made-up', 'internal_error', ''],
  ['x/made-up', 'model_not_found', 'x/made-up'],
  ['x/made-up', 'image_model_not_found', 'x/made-up'],
  ['x/made-up', 'video_model_not_found', 'x/made-up'],
  ['made up', 'invalid_model', 'made up'],
] as const)('the refused model %p with %s is recorded as %p', (slug, code, noted) => {
  expect(recordedModel(models, slug, new GatewayError(code))).toBe(noted);
});

test('for an unknown error only catalog models are recorded', () => {
  expect(recordedModel(models, 'x/made-up', new Error('broken'))).toBe('');
});
