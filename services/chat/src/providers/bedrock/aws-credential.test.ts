import { expect, test } from '@jest/globals';
import { readAwsCredential } from './aws-credential';

test('a bare string is an API key, without the white space around it', () =>
  expect(readAwsCredential(' key \n')).toEqual({ kind: 'api_key', apiKey: 'key' }));

test('a JSON object is an access key', () => {
  const access = { kind: 'access_key', accessKeyId: 'AKID', secretAccessKey: 's/+' };
  const json = { access_key_id: 'AKID', secret_access_key: 's/+' };
  expect(readAwsCredential(JSON.stringify(json))).toEqual(access);
  expect(readAwsCredential(` ${JSON.stringify({ ...json, session_token: 't' })}`)).toEqual({
    ...access,
    sessionToken: 't',
  });
});

test.each([
  ['an empty string', ''],
  ['a key in two words', 'top secret'],
  ['a key with a line end', 'top\r\nsecret'],
  ['an object that is cut', '{"access_key_id":"AKID","secret_access_key":"secret'],
  ['an object without the access key', '{"secret_access_key":"secret"}'],
  ['an object without the secret', '{"access_key_id":"secret"}'],
  ['an empty secret', '{"access_key_id":"secret","secret_access_key":""}'],
  ['a secret of another type', '{"access_key_id":"secret","secret_access_key":["secret"]}'],
  ['a token of another type', '{"access_key_id":"secret","secret_access_key":"secret","session_token":1}'],
  ['an empty token', '{"access_key_id":"secret","secret_access_key":"secret","session_token":""}'],
  ['a token with a line end', '{"access_key_id":"a","secret_access_key":"b","session_token":"secret\\n"}'],
  ['another member', '{"access_key_id":"secret","secret_access_key":"secret","secret":1}'],
])('%s is refused with an error that does not contain it', (_what, secret) => {
  let thrown: unknown;
  try {
    readAwsCredential(secret);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Error);
  const { message, stack, cause } = thrown as Error;
  expect(message).toContain('credential must be an API key of Bedrock');
  expect(`${message} ${stack} ${cause}`).not.toMatch(/top|AKID|"secret"/);
});
