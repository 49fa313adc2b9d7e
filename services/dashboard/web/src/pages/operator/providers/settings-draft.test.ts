import { expect, test } from '@jest/globals';
import type { Provider } from '../../../api/admin-providers';
import { changesOf, fromProvider } from './settings-draft';

const PROVIDER: Provider = {
  id: 'a',
  source: 'catalog',
  kind: 'openai',
  name: 'A',
  base_url: 'https://a.test/v1',
  headers: { 'x-team': 'a' },
  options: { preset: 'groq' },
  enabled: true,
  created_at: null,
  credentials: [],
  served_by: 'credentials',
  targets: [],
};
const draft = fromProvider(PROVIDER);

test('settings as loaded are no change, whatever the spaces in their JSON', () => {
  expect(changesOf(PROVIDER, draft).changes).toEqual({});
  expect(changesOf(PROVIDER, { ...draft, headers: '{"x-team":"a"}' }).changes).toEqual({});
});

test('only changed settings are sent; an empty JSON field removes all members', () => {
  const changed = { ...draft, name: 'B', baseUrl: '', headers: '' };
  expect(changesOf(PROVIDER, changed).changes).toEqual({ name: 'B', base_url: '', headers: {} });
});

test('invalid JSON is a problem of its field and nothing is sent', () => {
  const { changes, problems } = changesOf(PROVIDER, { ...draft, options: '{' });
  expect([changes, [...problems.keys()]]).toEqual([undefined, ['options']]);
});
