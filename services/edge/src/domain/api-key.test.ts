import { describe, expect, test } from '@jest/globals';
import { looksLikeApiKey, readApiKey } from './api-key';

const bearer = (...authorization: string[]) => readApiKey({ authorization, xApiKey: [] });
const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

describe('reading an API key', () => {
  test('accepts a well-formed Authorization header', () => {
    expect(bearer('Bearer sk-gw-abc_DEF-123')).toBe('sk-gw-abc_DEF-123');
  });

  test.each([
    '',
    'sk-gw-abc',
    'Bearer',
    'Bearer ',
    'Bearer  sk-gw-abc',
    'Bearer\tsk-gw-abc',
    'Bearer sk-gw-abc ',
    'Bearer sk-gw-a bc',
    'bearer sk-gw-abc',
    'BEARER sk-gw-abc',
    'Basic sk-gw-abc',
    'Bearer sk-gw-',
    'Bearer sk-GW-abc',
    'Bearer sk-abc',
    'Bearer sk-gw-ü',
    `Bearer sk-gw-${'x'.repeat(251)}`,
    `Bearer ${JWT}`,
    'Bearer sk-gw-abc, Bearer sk-gw-def',
  ])('rejects the Authorization header %j', (value) => {
    expect(bearer(value)).toBeUndefined();
  });

  test('rejects two Authorization headers', () => {
    expect(bearer('Bearer sk-gw-abc', 'Bearer sk-gw-abc')).toBeUndefined();
  });

  test('uses x-api-key only if there is no Authorization header', () => {
    expect(readApiKey({ authorization: [], xApiKey: ['sk-gw-abc'] })).toBe('sk-gw-abc');
    expect(readApiKey({ authorization: [''], xApiKey: ['sk-gw-abc'] })).toBeUndefined();
    expect(readApiKey({ authorization: ['Basic x'], xApiKey: ['sk-gw-abc'] })).toBeUndefined();
    expect(readApiKey({ authorization: [], xApiKey: ['sk-gw-abc', 'sk-gw-abc'] })).toBeUndefined();
    expect(readApiKey({ authorization: [], xApiKey: [JWT] })).toBeUndefined();
    expect(readApiKey({ authorization: [], xApiKey: [] })).toBeUndefined();
  });
});

test('recognizes an API key sent in place of a login token', () => {
  expect(looksLikeApiKey({ authorization: ['Bearer sk-gw-abc'], xApiKey: [] })).toBe(true);
  expect(looksLikeApiKey({ authorization: ['bearer  sk-gw-'], xApiKey: [] })).toBe(true);
  expect(looksLikeApiKey({ authorization: [], xApiKey: ['x'] })).toBe(true);
  expect(looksLikeApiKey({ authorization: [`Bearer ${JWT}`], xApiKey: [] })).toBe(false);
  expect(looksLikeApiKey({ authorization: [], xApiKey: [] })).toBe(false);
});
