import { describe, expect, test } from '@jest/globals';
import { looksLikeApiKey, readApiKey } from './api-key';

const bearer = (...authorization: string[]) => readApiKey({ authorization, xApiKey: [] });
const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

describe('an API key is read', () => {
  test('from a well-formed Authorization', () => {
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
  ])('never from %j', (value) => {
    expect(bearer(value)).toBeUndefined();
  });

  test('never from two headers', () => {
    expect(bearer('Bearer sk-gw-abc', 'Bearer sk-gw-abc')).toBeUndefined();
  });

  test('from x-api-key only when there is no Authorization at all', () => {
    expect(readApiKey({ authorization: [], xApiKey: ['sk-gw-abc'] })).toBe('sk-gw-abc');
    expect(readApiKey({ authorization: [''], xApiKey: ['sk-gw-abc'] })).toBeUndefined();
    expect(readApiKey({ authorization: ['Basic x'], xApiKey: ['sk-gw-abc'] })).toBeUndefined();
    expect(readApiKey({ authorization: [], xApiKey: ['sk-gw-abc', 'sk-gw-abc'] })).toBeUndefined();
    expect(readApiKey({ authorization: [], xApiKey: [JWT] })).toBeUndefined();
    expect(readApiKey({ authorization: [], xApiKey: [] })).toBeUndefined();
  });
});

test('an API key is recognised where a login token belongs', () => {
  expect(looksLikeApiKey({ authorization: ['Bearer sk-gw-abc'], xApiKey: [] })).toBe(true);
  expect(looksLikeApiKey({ authorization: ['bearer  sk-gw-'], xApiKey: [] })).toBe(true);
  expect(looksLikeApiKey({ authorization: [], xApiKey: ['x'] })).toBe(true);
  expect(looksLikeApiKey({ authorization: [`Bearer ${JWT}`], xApiKey: [] })).toBe(false);
  expect(looksLikeApiKey({ authorization: [], xApiKey: [] })).toBe(false);
});
