import { expect, test } from '@jest/globals';
import { readKlingKeys } from './kling-keys';

test('the two keys of an account are members of one secret', () => {
  const secret = '{"access_key":"AK","secret_key":"SK"}';
  expect(readKlingKeys(secret)).toEqual({ accessKey: 'AK', secretKey: 'SK' });
});

test.each([
  'sk-plain-secret',
  '{"access_key":"sk-plain-secret"}',
  '{"access_key":"sk-plain-secret","secret_key":""}',
  '{"access_key":"sk-plain-secret","secret_key":7}',
  '{"access_key":"sk-plain-secret","secret_key":"a b"}',
  '{"access_key":"a","secret_key":"b","region":"sk-plain-secret"}',
  '["sk-plain-secret"]',
  '{"access_key":sk-plain-secret',
])('the secret %s is refused, by an error that does not contain it', (secret) => {
  expect(() => readKlingKeys(secret)).toThrow('credential must be JSON {"access_key", "secret_key"}');
});
