import { GatewayError } from '@gateway/errors';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createServiceDatabase, createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkPassword } from './check-password';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  const log = createLogger('test', 'silent');
  database = await createTestDatabase();
  pool = createPool({ url: await createServiceDatabase('dashboard', database.url), log });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const limit = (name: string) => ({ name, maxAttempts: 2, windowSeconds: 900 });
const limits = {
  loginPerEmail: limit('email'),
  loginPerEmailAnywhere: limit('anywhere'),
  loginPerAddress: limit('address'),
  loginPerUser: limit('user'),
};
const origin = { requestId: 'request-1', clientIp: '192.0.2.1' };
const given = { email: 'ann@example.com', password: 'a password', address: '192.0.2.1', origin };
const events = { log() {}, async audit() {}, isFirstThisHour: () => true };

test('does not count an attempt whose password was not checked because too many were waiting', async () => {
  const check = async (verify: () => Promise<boolean>) =>
    checkPassword({ pool, hasher: { verify }, limits, events }, given).catch(
      (error) => GatewayError.from(error).code,
    );
  const busy = async () => {
    throw new GatewayError('too_many_attempts', { retryAfterSeconds: 2 });
  };
  for (let i = 0; i < 5; i++) expect(await check(busy)).toBe('too_many_attempts');
  expect(await check(async () => false)).toBe('invalid_credentials');
  expect(await check(async () => false)).toBe('invalid_credentials');
  let looked = false;
  const look = async () => {
    looked = true;
    return false;
  };
  expect(await check(look)).toBe('too_many_attempts');
  expect(looked).toBe(false);
});
