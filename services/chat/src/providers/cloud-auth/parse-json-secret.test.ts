import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseJsonSecret } from './parse-json-secret';

const schema = z.strictObject({ client_id: z.string(), client_secret: z.string() });
const read = (secret: string) => parseJsonSecret(secret, schema, 'a service principal');

test('a JSON object is read, also with white space around it', () => {
  const principal = { client_id: 'a', client_secret: 'b' };
  expect(read(`\n ${JSON.stringify(principal, undefined, 2)}\n`)).toEqual(principal);
});

test('any other text is not an object', () => expect(read('sk-0123456789')).toBeUndefined());

test.each([
  ['{"client_id":"a","client_secret":7654321}', 'the secret is not a service principal: check client_secret'],
  ['{"client_secret":"7654321"', 'the secret is not a service principal'],
  ['{"client_id":"a","client_secret":"7654321","x":1}', 'the secret is not a service principal'],
])('a secret of another form is refused without quoting it', (secret, message) => {
  expect(() => read(secret)).toThrow(new Error(message));
});
