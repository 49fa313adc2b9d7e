import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PRESETS, presetBaseUrl } from './presets';
import { defaultBaseUrl, isProviderKind, optionProblems } from './provider-kinds';

const PRESET_LIST = [...PRESETS.values()];

test('every file of the folder is imported, and is a preset with its name', () => {
  const files = readdirSync(join(__dirname, 'presets'));
  expect(files.map((file) => file.replace(/\.json$/, '')).sort()).toEqual([...PRESETS.keys()].sort());
});

test('presets are sorted by name', () => {
  const names = PRESET_LIST.map(({ name }) => name);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
  expect(new Set(names).size).toBe(names.length);
});

test.each(PRESET_LIST)('preset $id has a kind that exists', ({ kind }) => {
  expect(isProviderKind(kind)).toBe(true);
});

test.each(PRESET_LIST)('preset $id uses https if it needs a key', ({ base_url: url, api_key: key }) => {
  expect(url.startsWith('https://')).toBe(key === 'required');
});

test.each(PRESET_LIST)('preset $id gives its base URL, or asks for one if it has placeholders', (preset) => {
  const { base_url: url } = preset;
  const filled = presetBaseUrl(preset);
  if (url.includes('{')) expect(filled).toBeUndefined();
  else expect(filled).toBe(URL.parse(url)?.href.replace(/\/$/, ''));
});

test.each(PRESET_LIST.filter(({ kind }) => kind === 'openai' || kind === 'anthropic'))(
  'a provider can name preset $id in its options',
  (preset) => {
    const { id, kind, quirks } = preset;
    expect(optionProblems(kind, { preset: id })).toEqual([]);
    expect(defaultBaseUrl(kind, { preset: id })).toBe(presetBaseUrl(preset));
    if (kind === 'openai') expect(optionProblems(kind, { quirks })).toEqual([]);
  },
);
