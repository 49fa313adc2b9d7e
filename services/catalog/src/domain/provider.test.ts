import { expect, test } from '@jest/globals';
import { checkSecret } from './provider';

const stored = (value: string) => checkSecret('secret', { value, reference: '' });

test('a JSON object is stored without the line breaks of its file, and with those in its strings', () => {
  const key = { type: 'service_account', private_key: '-----BEGIN PRIVATE KEY-----\nAA\n' };
  expect(stored(`${JSON.stringify(key, undefined, 2)}\r\n`)).toEqual({ value: JSON.stringify(key) });
});

test.each(['sk-a\nsk-b', '{"a":\n1'])('any other secret with a line break is refused: %j', (value) => {
  expect(() => stored(value)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
