import { expect, test } from '@jest/globals';
import { readCredential, readCredentialChange } from './read-credential';

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

test('a form with a secret, a reference or neither is one credential', () => {
  const name = { credential_name: ' main ' };
  expect(readCredential(form({ ...name, secret: ' sk-1 ' }))).toEqual({ name: 'main', secret: 'sk-1' });
  expect(readCredential(form({ ...name, secret_ref: 'env:CREDENTIAL_A' }))).toEqual({
    name: 'main',
    secret_ref: 'env:CREDENTIAL_A',
  });
  expect(readCredential(form({ ...name, secret: '' }))).toEqual({ name: 'main', secret: 'none' });
});

test('an edited credential without a new secret keeps its own', () => {
  const fields = { credential_name: 'main', weight: '3', secret: '' };
  expect(readCredentialChange(form(fields))).toEqual({ name: 'main', weight: 3 });
  expect(readCredentialChange(form({ ...fields, secret: 'sk-2' }))).toEqual({
    name: 'main',
    weight: 3,
    secret: 'sk-2',
  });
});

test('an empty limit is none', () => {
  const fields = {
    credential_name: 'main',
    weight: '1',
    rpm_limit: '60',
    tpm_limit: '',
    concurrency_limit: '0',
    daily_cost_limit: '',
  };
  expect(readCredentialChange(form(fields))).toEqual({
    name: 'main',
    weight: 1,
    rpm_limit: 60,
    tpm_limit: null,
    concurrency_limit: null,
    daily_cost_limit: null,
  });
});

test.each([
  ['25', 25],
  ['$1,000.50', 1_000.5],
  ['0.000000001', 1e-9],
  ['0', null],
])('the daily cost limit %s is an amount of USD', (text, limit) => {
  const fields = { credential_name: 'main', weight: '1', daily_cost_limit: text };
  expect(readCredentialChange(form(fields))).toMatchObject({ daily_cost_limit: limit });
});
