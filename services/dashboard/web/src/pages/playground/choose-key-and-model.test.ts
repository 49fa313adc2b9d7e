import { expect, test } from '@jest/globals';
import type { ApiKey } from '../../api/keys';
import type { Model } from '../../api/models';
import { chooseKeyAndModel, type Selection } from './choose-key-and-model';

const NOW_MS = Date.parse('2026-11-22T00:00:00Z');
const key = (id: string, more: Partial<ApiKey> = {}) =>
  ({ id, name: id, status: 'enabled', expires_at: null, allowed_models: [], ...more }) as unknown as ApiKey;
const model = (slug: string, output: number, more: Partial<Model> = {}) =>
  ({
    slug,
    status: 'active',
    preview: false,
    image: null,
    video: null,
    pricing: { tokens: { output } },
    ...more,
  }) as unknown as Model;

const KEYS = [
  key('narrow', { allowed_models: ['a/cheap'] }),
  key('wide'),
  key('off', { status: 'disabled' }),
  key('over', { expires_at: '2026-11-21T00:00:00Z' }),
];
const MODELS = [
  model('a/dear', 9),
  model('a/cheap', 1),
  model('a/off', 0, { status: 'disabled' }),
  model('a/new', 0, { preview: true }),
  model('a/mine', 5, { preview: true }),
];
const choose = (selection: Partial<Selection>, keys = KEYS) => {
  const options = { type: 'chat' as const, keys, models: MODELS, previewModels: ['a/mine'], nowMs: NOW_MS };
  const choice = chooseKeyAndModel(options, { keyId: null, slug: null, ...selection });
  return { ...choice, key: choice.key?.id, model: choice.model?.slug };
};

test('chooses a key and a cheap model without a selection', () => {
  expect(choose({})).toMatchObject({ key: 'narrow', model: 'a/cheap', problem: undefined });
});

test('chooses a key that allows the selected model', () => {
  expect(choose({ slug: 'a/dear' })).toMatchObject({ key: 'wide', model: 'a/dear', problem: undefined });
  expect(choose({ slug: 'a/cheap' })).toMatchObject({ key: 'narrow', model: 'a/cheap' });
});

test('offers preview models after the opt-in', () => {
  expect(choose({ keyId: 'wide' }).models.map(({ slug }) => slug)).toEqual(['a/dear', 'a/cheap', 'a/mine']);
});

test.each<[Partial<Selection>, string | undefined, string | undefined, string]>([
  [{ keyId: 'off' }, undefined, 'a/cheap', 'The key “off” is disabled'],
  [{ keyId: 'over' }, undefined, 'a/cheap', 'The key “over” has expired'],
  [{ keyId: 'gone', slug: 'a/dear' }, undefined, 'a/dear', 'The selected key no longer exists'],
  [{ keyId: 'narrow', slug: 'a/dear' }, 'narrow', undefined, 'The key “narrow” does not allow a/dear'],
  [{ slug: 'a/off' }, 'narrow', undefined, 'a/off is disabled'],
  [{ slug: 'a/new' }, 'narrow', undefined, 'a/new is a preview model that your account hasn’t opted in to'],
  [{ slug: 'b/image' }, 'narrow', undefined, 'b/image is not an available chat model'],
])('does not substitute %p, and says why', (selection, keyId, slug, problem) => {
  expect(choose(selection)).toMatchObject({ key: keyId, model: slug, problem: { title: problem } });
});

test('reports no problem if there is no key at all', () => {
  expect(choose({ keyId: 'off' }, KEYS.slice(2))).toMatchObject({ key: undefined, problem: undefined });
});
