import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { refusalOf, reserveRequest, summary, TestBilling, WAIT } from '../testing/test-billing';

let database: TestDatabase;
let billing: TestBilling;
beforeAll(async () => {
  database = await createTestDatabase();
  billing = await TestBilling.start(database.url);
}, 60_000);
afterAll(async () => {
  await billing?.stop();
  await database?.drop();
}, 60_000);

type Key = Awaited<ReturnType<TestBilling['createFundedKey']>>;
const dash = () => billing.asDashboard;
const MEMBER = { userId: 'usr_member', isMember: true };
const OWNER = { userId: 'usr_owner', isMember: false };
const update = ({ accountId, keyId: id }: Key, changes: object) =>
  callUnary(dash(), dash().UpdateKey, { accountId, id, ...changes }, WAIT);
const reserve = async (key: Key, more: object, nano = 0n) =>
  (await billing.reserve(reserveRequest(key, nano, more)))[0]!;

describe('scopes', () => {
  test('a call that uses another scope is not_found from the next call on, paid or free', async () => {
    const key = await billing.createFundedKey(1_000n);
    const images = { scopes: ['images'] };
    expect(summary(await reserve(key, images, 1n))).toBe('granted 1');
    await update(key, { setScopes: true, scopes: ['chat', 'account_content'] });
    expect(summary(await reserve(key, images, 1n))).toBe('not_found');
    expect(summary(await reserve(key, { ...images, free: true }))).toBe('not_found');
    expect(refusalOf(await reserve(key, images, 1n)).detail).toContain('images');
    expect(summary(await reserve(key, { scopes: ['chat', 'account_content'] }, 1n))).toBe('granted 1');
    // A list of models, and calls of services of older versions.
    expect(summary(await reserve(key, { free: true }))).toBe('granted 0');
    await update(key, { setScopes: true });
    expect(summary(await reserve(key, images, 1n))).toBe('granted 1');
  });

  test('a grant says whether the key sees only its own content', async () => {
    const key = await billing.createFundedKey(1_000n);
    const own = async () => (await reserve(key, { free: true })).grant?.ownContentOnly;
    expect(await own()).toBe(false);
    await update(key, { setScopes: true, scopes: ['chat', 'files'] });
    expect(await own()).toBe(true);
    await update(key, { setScopes: true, scopes: ['files', 'account_content'] });
    expect(await own()).toBe(false);
  });

  test('edge receives them with the key', async () => {
    const key = await billing.createFundedKey(1_000n);
    await update(key, {
      setScopes: true,
      scopes: ['chat'],
      setAllowedIps: true,
      allowedIps: ['192.0.2.0/24'],
    });
    expect((await billing.resolve(key.value)).key).toMatchObject({
      scopes: ['chat'],
      allowedIps: ['192.0.2.0/24'],
    });
  });
});

test('a call from outside of the ranges is invalid_api_key, before anything else is said about the key', async () => {
  const key = await billing.createFundedKey(1_000n);
  const from = async (clientAddress: string, more = {}) => reserve(key, { clientAddress, ...more }, 1n);
  await update(key, { setAllowedIps: true, allowedIps: ['192.0.2.0/24', '2001:db8::1'], expiresAtMs: '1' });
  const refused = await from('198.51.100.7');
  expect(summary(refused)).toBe('invalid_api_key');
  expect(refusalOf(refused).detail).toBeUndefined();
  expect(summary(await from('192.0.2.9'))).toBe('expired_api_key');
  await update(key, { lift: ['KEY_LIMIT_EXPIRES_AT'] });
  expect(summary(await from('192.0.2.9'))).toBe('granted 1');
  expect(summary(await from('2001:db8::1'))).toBe('granted 1');
  expect(summary(await from('2001:db8::2', { free: true, boundNano: '0', floorNano: '0' }))).toBe(
    'invalid_api_key',
  );
  // Calls of a batch and of the playground present no value of the key.
  expect(summary(await from(''))).toBe('granted 1');
});

test.each([['10.0.0.0/33'], ['example.com'], ['::ffff:10.0.0.1'], ['']])(
  'an update with the range %j is refused',
  async (range) => {
    const key = await billing.createFundedKey(0n);
    const changed = update(key, { setAllowedIps: true, allowedIps: [range] });
    await expect(changed).rejects.toMatchObject({ code: 'invalid_request' });
  },
);

test('a free call that stores content needs a balance; other free calls do not', async () => {
  const [poor, funded] = [await billing.createFundedKey(0n), await billing.createFundedKey(1n)];
  expect(summary(await reserve(poor, { free: true, needsFunds: true }))).toBe('insufficient_balance');
  expect(summary(await reserve(poor, { free: true }))).toBe('granted 0');
  expect(summary(await reserve(funded, { free: true, needsFunds: true }))).toBe('granted 0');
});

describe('limits that an owner set', () => {
  const FIELDS: readonly [field: string, set: object, lifted: object][] = [
    ['daily_limit', { dailyLimitNano: '5' }, { lift: ['KEY_LIMIT_DAILY'] }],
    ['monthly_limit', { monthlyLimitNano: '5' }, { lift: ['KEY_LIMIT_MONTHLY'] }],
    ['request_cost_limit', { requestCostLimitNano: '5' }, { lift: ['KEY_LIMIT_REQUEST_COST'] }],
    ['rpm_limit', { rpmLimit: '5' }, { rpmLimit: '6' }],
    ['tpm_limit', { tpmLimit: '0' }, { tpmLimit: '1000000' }],
    ['expires_at', { expiresAtMs: '4102444800000' }, { expiresAtMs: '4102444800001' }],
    ['allowed_models', { setAllowedModels: true, allowedModels: ['sim/chat'] }, { setAllowedModels: true }],
    ['scopes', { setScopes: true, scopes: ['chat'] }, { setScopes: true, scopes: ['chat', 'files'] }],
    ['allowed_ips', { setAllowedIps: true, allowedIps: ['192.0.2.1'] }, { setAllowedIps: true }],
  ];

  test.each(FIELDS)('members cannot change the %s of a key, and owners can', async (field, set, lifted) => {
    const key = await billing.createFundedKey(0n);
    const limited = await update(key, { ...set, by: OWNER });
    expect(limited.ownerLimits).toEqual([field]);
    await expect(update(key, { ...lifted, by: MEMBER })).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining(field),
    });
    // A form may send what it has read.
    expect(await update(key, { ...set, name: 'renamed', by: MEMBER })).toMatchObject({ name: 'renamed' });
    await update(key, { ...lifted, by: OWNER });
  });

  test('what an owner lifts, and what a member set, members may change', async () => {
    const key = await billing.createFundedKey(0n);
    await update(key, { dailyLimitNano: '5', rpmLimit: '5', by: OWNER });
    expect((await update(key, { lift: ['KEY_LIMIT_DAILY'], by: OWNER })).ownerLimits).toEqual(['rpm_limit']);
    expect(await update(key, { dailyLimitNano: '9', by: MEMBER })).toMatchObject({
      ownerLimits: ['rpm_limit'],
    });
    expect(await update(key, { lift: ['KEY_LIMIT_DAILY'], by: MEMBER })).not.toHaveProperty('dailyLimitNano');
  });

  test('the limits of a key that an owner creates are the owner’s, those of a member’s key are not', async () => {
    const { accountId } = await billing.createFundedKey(0n);
    const create = async (by: object) =>
      (await callUnary(dash(), dash().CreateKey, { accountId, name: 'k', rpmLimit: '1', by }, WAIT)).key!;
    expect(await create(OWNER)).toMatchObject({ ownerLimits: ['rpm_limit'], holderIds: ['usr_owner'] });
    expect(await create(MEMBER)).toMatchObject({ ownerLimits: [], holderIds: ['usr_member'] });
  });

  test('a member cannot enable a key that an owner has disabled', async () => {
    const { accountId, keyId: id } = await billing.createFundedKey(0n);
    const enable = (enabled: boolean, by: object) =>
      callUnary(dash(), dash().SetKeyEnabled, { accountId, id, enabled, by }, WAIT);
    await enable(false, MEMBER);
    await enable(true, MEMBER);
    await enable(false, OWNER);
    await expect(enable(true, MEMBER)).rejects.toMatchObject({ code: 'invalid_request' });
    await enable(false, MEMBER);
    await expect(enable(true, MEMBER)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await enable(true, OWNER)).toMatchObject({ status: 'KEY_STATUS_ENABLED', ownerLimits: [] });
    expect(await enable(false, MEMBER)).toMatchObject({ status: 'KEY_STATUS_DISABLED' });
  });
});

test('the holders of a key are the users who were shown a value that may still be valid', async () => {
  const { accountId, keyId: id } = await billing.createFundedKey(0n);
  const by = (userId: string) => ({ userId, isMember: true });
  const holders = async () => (await callUnary(dash(), dash().GetKey, { accountId, id }, WAIT)).holderIds;
  const rotate = (userId: string, graceSeconds: number) =>
    callUnary(dash(), dash().RotateKey, { accountId, id, graceSeconds, by: by(userId) }, WAIT);
  await callUnary(dash(), dash().RegenerateKey, { accountId, id, by: by('a') }, WAIT);
  await rotate('b', 60);
  await rotate('b', 60);
  expect(await holders()).toEqual(['a', 'b']);
  const keysOf = async (...holderIds: string[]) =>
    (await callUnary(dash(), dash().ListKeys, { accountId, limit: 10, holderIds }, WAIT)).keys.length;
  expect([await keysOf('a'), await keysOf('x', 'b'), await keysOf('x'), await keysOf()]).toEqual([
    1, 1, 0, 1,
  ]);
  await rotate('c', 0);
  expect(await holders()).toEqual(['c']);
  await callUnary(dash(), dash().RegenerateKey, { accountId, id, by: by('a') }, WAIT);
  expect(await holders()).toEqual(['a']);
});
