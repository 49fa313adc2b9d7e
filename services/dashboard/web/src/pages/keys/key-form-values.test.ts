import { expect, test } from '@jest/globals';
import { NEW_KEY, toKeyChange, toKeyInput } from './key-form-values';

test('a new key has only filled-in fields, including a limit of zero', () => {
  expect(toKeyInput({ ...NEW_KEY, name: 'ci', daily_limit: 0, allowed_models: ['sim/chat'] })).toEqual({
    name: 'ci',
    daily_limit: 0,
    allowed_models: ['sim/chat'],
  });
});

test("a key uses the account's bare model names setting unless the form sets one", () => {
  expect(toKeyInput({ ...NEW_KEY, name: 'ci' })).toEqual({ name: 'ci' });
  expect(toKeyInput({ ...NEW_KEY, name: 'ci', bare_model_names: false })).toEqual({
    name: 'ci',
    bare_model_names: false,
  });
  const before = { ...NEW_KEY, name: 'ci', bare_model_names: true };
  expect(toKeyChange(before, { ...before, bare_model_names: null })).toEqual({ bare_model_names: null });
});

test('a change has only changed fields, and removes emptied limits', () => {
  const before = { ...NEW_KEY, name: 'ci', daily_limit: 5, rpm_limit: 60, allowed_models: ['sim/chat'] };
  expect(toKeyChange(before, { ...before, allowed_models: [...before.allowed_models] })).toEqual({});
  expect(toKeyChange(before, { ...before, daily_limit: null, rpm_limit: 90, allowed_models: [] })).toEqual({
    daily_limit: null,
    rpm_limit: 90,
    allowed_models: [],
  });
});
