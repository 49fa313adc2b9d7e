import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import { indexNames } from './model-names';
import { findModelByName, ModelPermissionError, modelNameForRecord } from './model-permissions';

const entry = (slug: string, ...aliases: string[]) => ({ slug, aliases, active: true, preview: false });
const MODELS = [
  entry('anthropic/claude-haiku', 'anthropic/claude-haiku-20251001', 'haiku'),
  entry('openai/gpt-4o', 'openai/gpt-4o-2024-08-06'),
  entry('minimax/h3', 'minimax/MiniMax-H3'),
  entry('first/twin'),
  entry('second/twin'),
  entry('sim/chat'),
  entry('sim/image', 'sim/image-2', 'picture'),
  entry('sim/solo'),
  entry('acme/solo'),
  { ...entry('first/moved'), active: false },
  entry('second/moved'),
  { ...entry('first/early'), preview: true },
  entry('second/early'),
  { ...entry('first/retired', 'first/retired-1', 'relic'), active: false },
  { ...entry('first/beta'), preview: true },
  entry('second/shared', 'second/other'),
  entry('acme/shared'),
  entry('third/shared', 'shared'),
  entry('acme/auto'),
];
const bySlug = new Map(MODELS.map((model) => [model.slug, model]));
const names = indexNames(MODELS);
const models = { get: (name: string) => bySlug.get(name) ?? names.get(name) };

const access = (bareModelNames?: boolean) => ({
  allowedModels: [],
  previewModels: [],
  ...(bareModelNames !== undefined && { bareModelNames }),
});

describe('a key that allows bare names', () => {
  test.each([
    ['openai/gpt-4o', 'openai/gpt-4o'],
    ['openai/gpt-4o-2024-08-06', 'openai/gpt-4o'],
    ['minimax/MiniMax-H3', 'minimax/h3'],
    ['haiku', 'anthropic/claude-haiku'],
    ['claude-haiku', 'anthropic/claude-haiku'],
    ['claude-haiku-20251001', 'anthropic/claude-haiku'],
    ['MiniMax-H3', 'minimax/h3'],
    ['other', 'second/shared'],
    // A simulated, an inactive and a preview model do not compete.
    ['solo', 'acme/solo'],
    ['moved', 'second/moved'],
    ['early', 'second/early'],
    ['picture', 'sim/image'],
    ['relic', 'first/retired'],
    // An alias takes precedence over a name that several slugs share.
    ['shared', 'third/shared'],
  ])('resolves %s to the model %s', (name, slug) => {
    expect(findModelByName(models, name, access(true))?.slug).toBe(slug);
  });

  test.each([
    ['twin', 'which two models share'],
    ['chat', 'which only the simulator has'],
    ['image-2', 'which only the simulator has'],
    ['retired', 'whose model is inactive'],
    ['retired-1', 'whose model is inactive'],
    ['beta', 'whose model is a preview'],
    ['auto', 'which is a placeholder'],
    ['gpt-5', 'which no model has'],
    ['Haiku', 'which differs in case'],
    ['haiku ', 'which ends in white space'],
  ])('gets invalid_model for %j, %s', (name) => {
    expect(() => findModelByName(models, name, access(true))).toThrow(
      expect.objectContaining({ code: 'invalid_model' }),
    );
  });
});

describe.each([[false], [undefined]])('a key with bare names %p', (setting) => {
  test.each(['haiku', 'claude-haiku', 'gpt-4o-2024-08-06'])('is refused %s with invalid_model', (name) => {
    const named = () => findModelByName(models, name, access(setting));
    expect(named).toThrow(expect.objectContaining({ code: 'invalid_model' }));
    expect(named).toThrow(ModelPermissionError);
  });

  test('may call a model by an alias that has a provider', () => {
    expect(findModelByName(models, 'openai/gpt-4o-2024-08-06', access(setting))?.slug).toBe('openai/gpt-4o');
    expect(findModelByName(models, 'openai/gpt-5', access(setting))).toBeUndefined();
  });
});

test('a refused bare name is allowed with a key that permits bare names, and with no other', () => {
  let refusal: unknown;
  try {
    findModelByName(models, 'haiku', access(false));
  } catch (error) {
    refusal = error;
  }
  expect((refusal as ModelPermissionError).isAllowedWith(access(true))).toBe(true);
  expect((refusal as ModelPermissionError).isAllowedWith(access())).toBe(false);
});

test.each([
  ['openai/gpt-4o-2024-08-06', 'insufficient_balance', 'openai/gpt-4o'],
  ['haiku', 'model_not_found', 'anthropic/claude-haiku'],
  ['haiku', 'invalid_model', 'haiku'],
  ['x/unknown', 'model_not_found', 'x/unknown'],
] as const)('a call to %s that is refused with %s is recorded as %s', (name, code, recorded) => {
  expect(modelNameForRecord(models, name, new GatewayError(code))).toBe(recorded);
});
