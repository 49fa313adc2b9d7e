import { expect, test } from '@jest/globals';
import type { EndpointModel } from '../../../api/admin-providers';
import { isFree, matches, otherRates, toImportedModel, toRow } from './import-rows';

const LISTED = {
  source: 'a list',
  source_date: '2026-01-01',
  tokens: { input: 0.11, output: 0.22, cache_read: 0.05, service_tiers: {}, units: {} },
};
const model = (more: Partial<EndpointModel> = {}): EndpointModel => ({
  upstream_model: 'Org/Model:7b',
  name: 'Model 7B',
  input_modalities: ['text'],
  output_modalities: ['text'],
  context_length: 4_096,
  max_output_tokens: null,
  capabilities: ['tools'],
  pricing: null,
  cost: null,
  unpriced: [],
  price_problem: null,
  suggested_slug: 'local/org-model-7b',
  slugs: [],
  ...more,
});
const NONE: ReadonlySet<string> = new Set();

test('a model with listed prices is imported at these, with their source', () => {
  const row = toRow(model({ pricing: LISTED }), undefined, NONE);
  expect(row).toMatchObject({ input: '0.11', output: '0.22', problem: undefined });
  expect(toImportedModel(row)).toEqual({
    upstream_model: 'Org/Model:7b',
    slug: 'local/org-model-7b',
    name: 'Model 7B',
    input_modalities: ['text'],
    output_modalities: ['text'],
    context_length: 4_096,
    capabilities: ['tools'],
    pricing: LISTED,
  });
});

test('the listed cost is kept with the target, also if the prices are typed or those of another model', () => {
  const priced = model({ pricing: LISTED, cost: { ...LISTED, tokens: { ...LISTED.tokens, input: 0.1 } } });
  const cost = { input: 0.1, output: 0.22, cache_read: 0.05, service_tiers: {} };
  expect(toImportedModel(toRow(priced, { input: '9' }, NONE))).toMatchObject({ cost });
  const existing = toImportedModel(toRow(priced, { slug: 'groq/m' }, new Set(['groq/m'])));
  expect(existing).toMatchObject({ cost });
  expect(existing).not.toHaveProperty('pricing');
});

test('a typed price replaces the listed one, and the list is no longer the source', () => {
  const row = toRow(model({ pricing: LISTED }), { input: '0.5' }, NONE);
  expect(toImportedModel(row).pricing).toEqual({
    tokens: { input: 0.5, output: 0.22, cache_read: 0.05, service_tiers: {}, units: {} },
  });
});

test.each([
  [{}, 'Needs both prices'],
  [{ input: '1' }, 'Needs both prices'],
  [{ input: '1', output: '1,5' }, 'Needs both prices'],
  [{ input: '-1', output: '1' }, 'Needs both prices'],
  [{ input: '1', output: '2', slug: ' ' }, 'Needs a slug'],
  [{ input: '0', output: '0' }, undefined],
])('a model without listed prices can be imported once both are typed: %j', (edit, problem) => {
  expect(toRow(model(), edit, NONE).problem).toBe(problem);
});

test('a text model without a context needs a typed one, which bounds its output', () => {
  const unknown = model({ pricing: LISTED, context_length: null, max_output_tokens: 9_000 });
  expect(toRow(unknown, undefined, NONE).problem).toBe('Needs a context length');
  expect(toRow(unknown, { context: '8k' }, NONE).problem).toBe('Needs a context length');
  const row = toRow(unknown, { context: '8,000' }, NONE);
  expect(row.problem).toBeUndefined();
  expect(toImportedModel(row)).toMatchObject({ context_length: 8_000, max_output_tokens: 8_000 });
  const images = model({ pricing: LISTED, context_length: null, output_modalities: ['image'] });
  expect(toRow(images, undefined, NONE).problem).toBeUndefined();
});

test('zero is a price, and a model with it is free', () => {
  expect(isFree(toRow(model(), { input: '0', output: '0' }, NONE))).toBe(true);
  expect(isFree(toRow(model(), { input: '0', output: '1' }, NONE))).toBe(false);
});

test('a model with the slug of another one needs no prices and sends none', () => {
  const row = toRow(model(), { slug: 'sim/chat' }, new Set(['sim/chat']));
  expect(row).toMatchObject({ isExisting: true, problem: undefined });
  expect(toImportedModel(row)).not.toHaveProperty('pricing');
});

test('a model is not imported twice under one slug, but can be under another', () => {
  const listed = model({ slugs: ['local/org-model-7b'], pricing: LISTED });
  expect(toRow(listed, undefined, new Set(listed.slugs)).problem).toBe('Already imported');
  expect(toRow(listed, { slug: 'local/other' }, new Set(listed.slugs)).problem).toBeUndefined();
});

test('the search finds upstream models, names and slugs', () => {
  expect(['org/', 'model 7', 'LOCAL/org', 'x'].map((text) => matches(model(), text))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('other rates of a listed price are named', () => {
  expect(otherRates(model({ pricing: LISTED }))).toEqual(['cache']);
  expect(otherRates(model())).toEqual([]);
});
