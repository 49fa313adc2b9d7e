import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import type { WatchKeysResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysResponse';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase, until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { reserveRequest, summary, TestBilling, usageEvent, WAIT } from '../testing/test-billing';
import { createKeyValue } from './rules/key-value';

let database: TestDatabase;
let one: TestBilling;
let other: TestBilling;
let pool: Pool;
/** Ids of keys and accounts that the other instance's watchers received. */
const notifiedIds: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  one = await TestBilling.start(database.url);
  other = await TestBilling.start(database.url);
  pool = createPool({ url: database.url, log: createLogger('test', 'silent') });
  const stream = other.asEdge.WatchKeys({});
  stream.on('error', () => {});
  let up = false;
  stream.on('metadata', () => {
    up = true;
  });
  stream.on('data', ({ keyIds, accountIds }: WatchKeysResponse__Output) =>
    notifiedIds.push(...keyIds, ...accountIds),
  );
  await until(() => up);
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await Promise.all([one?.stop(), other?.stop()]);
  await database?.drop();
}, 60_000);
beforeEach(() => {
  notifiedIds.length = 0;
});

type Key = Awaited<ReturnType<TestBilling['createFundedKey']>>;
const idsOf = (key: Key) => ({ accountId: key.accountId, id: key.keyId });
const dash = () => one.asDashboard;
const update = (key: Key, changes: object) =>
  callUnary(dash(), dash().UpdateKey, { ...idsOf(key), ...changes }, WAIT);
const enable = (key: Key, enabled: boolean) =>
  callUnary(dash(), dash().SetKeyEnabled, { ...idsOf(key), enabled }, WAIT);
const rotate = (key: Key, graceSeconds: number) =>
  callUnary(dash(), dash().RotateKey, { ...idsOf(key), graceSeconds }, WAIT);
const regenerate = (key: Key) => callUnary(dash(), dash().RegenerateKey, idsOf(key), WAIT);
const revoke = (id: string) => callUnary(dash(), dash().RevokeKey, { id }, WAIT);
/** Uses the other instance, because the change must not be visible only where it was made. */
const reserve = async (key: Key, nano = 1n, more = {}) =>
  summary((await other.reserve(reserveRequest(key, nano, more)))[0]!);
const resolve = (value: string) =>
  other.resolve(value).then(
    ({ key }) => key!.keyId,
    (error: { code: string }) => error.code,
  );
const valueIdOf = async (value: string) => (await other.resolve(value)).key!.valueId;
const contextOf = ({ accountId, keyId }: Key, valueId = '') =>
  callUnary(other.asChat, other.asChat.GetKeyContext, { accountId, keyId, valueId }, WAIT).then(
    ({ key }) => key!,
    (error: { code: string }) => error.code,
  );
const notified = (id: string) => until(() => notifiedIds.includes(id));

describe('a key update', () => {
  test('changes the named settings, lifts the listed limits, and takes effect with the next call', async () => {
    const key = await one.createFundedKey(1_000n, { monthlyLimitNano: '500', name: 'first' });
    expect(await reserve(key)).toBe('granted 1');
    const changed = await update(key, {
      name: 'second',
      dailyLimitNano: '5',
      requestCostLimitNano: '3',
      rpmLimit: '0',
      tpmLimit: '7',
      expiresAtMs: '4102444800000',
      setAllowedModels: true,
      allowedModels: ['sim/chat'],
    });
    expect(changed).toMatchObject({
      name: 'second',
      dailyLimitNano: '5',
      monthlyLimitNano: '500',
      requestCostLimitNano: '3',
      rpmLimit: '0',
      tpmLimit: '7',
      expiresAtMs: '4102444800000',
      allowedModels: ['sim/chat'],
    });
    await notified(key.keyId);
    expect(await reserve(key, 1n, { model: 'sim/other' })).toBe('model_not_found');
    expect(await reserve(key, 4n)).toBe('request_cost_limit');
    const lifted = await update(key, {
      lift: [
        'KEY_LIMIT_RPM',
        'KEY_LIMIT_TPM',
        'KEY_LIMIT_REQUEST_COST',
        'KEY_LIMIT_EXPIRES_AT',
        'KEY_LIMIT_MONTHLY',
      ],
      setAllowedModels: true,
    });
    expect(lifted).toMatchObject({ name: 'second', dailyLimitNano: '5', allowedModels: [] });
    for (const gone of ['rpmLimit', 'tpmLimit', 'requestCostLimitNano', 'expiresAtMs', 'monthlyLimitNano']) {
      expect(lifted).not.toHaveProperty(gone);
    }
    expect(await reserve(key, 4n, { model: 'sim/other' })).toBe('granted 4');
    expect(await reserve(key)).toBe('key_daily_limit');
    await update(key, { lift: ['KEY_LIMIT_DAILY'] });
    expect(await reserve(key)).toBe('granted 1');
    await update(key, { expiresAtMs: '1' });
    expect(await reserve(key)).toBe('expired_api_key');
  });

  test('can lower a cap below its usage: new calls are refused, running calls settle normally', async () => {
    const key = await one.createFundedKey(1_000n);
    const running = reserveRequest(key, 400n);
    await one.reserve(running);
    await update(key, { dailyLimitNano: '100' });
    expect(await reserve(key)).toBe('key_daily_limit');
    await one.deliver(usageEvent(running, 350n));
    expect((await one.account(key.accountId)).balanceNano).toBe('650');
  });

  test.each([
    [{ dailyLimitNano: '1', lift: ['KEY_LIMIT_DAILY'] }],
    [{ rpmLimit: '1000000000001' }],
    [{ tpmLimit: '-1' }],
    [{ name: 'n'.repeat(201) }],
  ])('with invalid settings changes nothing: %j', async (changes) => {
    const key = await one.createFundedKey(0n, { dailyLimitNano: '9' });
    await expect(update(key, changes)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await callUnary(dash(), dash().GetKey, idsOf(key), WAIT)).toMatchObject({ dailyLimitNano: '9' });
  });
});

describe('finding a key by value', () => {
  const find = (value: string) =>
    callUnary(dash(), dash().FindKey, { value }, WAIT).then(
      ({ key, valueEndsAtMs }) => [key!.id, key!.status, valueEndsAtMs !== undefined],
      ({ code }: { code: string }) => code,
    );

  test('finds it by its current and its rotated-out values, whatever its status', async () => {
    const key = await one.createFundedKey(0n);
    expect(await find(key.value)).toEqual([key.keyId, 'KEY_STATUS_ENABLED', false]);
    const { value } = await rotate(key, 60);
    expect(await find(key.value)).toEqual([key.keyId, 'KEY_STATUS_ENABLED', true]);
    expect(await find(value)).toEqual([key.keyId, 'KEY_STATUS_ENABLED', false]);
    await revoke(key.keyId);
    expect(await find(value)).toEqual([key.keyId, 'KEY_STATUS_REVOKED', false]);
    await callUnary(dash(), dash().DeleteKey, idsOf(key), WAIT);
    expect(await find(value)).toEqual([key.keyId, 'KEY_STATUS_DELETED', false]);
  });

  test('rejects a malformed value and answers not_found for an unknown one', async () => {
    expect(await find(createKeyValue())).toBe('not_found');
    const { value } = await one.createFundedKey(0n);
    for (const part of [value.slice(0, -1), `${value}x`, value.toUpperCase(), '', value.slice(6)]) {
      expect(await find(part)).toBe('invalid_request');
    }
  });
});

describe('revoking a leaked value', () => {
  const revokeLeaked = (value: string, reason = 'found in a public commit') =>
    callUnary(dash(), dash().RevokeLeakedValue, { value, reason }, WAIT);

  test('revokes the key when the value is current, and records reason and time', async () => {
    const key = await one.createFundedKey(1_000n);
    const { key: revoked, outcome } = await revokeLeaked(key.value);
    expect(outcome).toBe('LEAKED_VALUE_OUTCOME_KEY_REVOKED');
    expect(revoked).toMatchObject({
      id: key.keyId,
      status: 'KEY_STATUS_REVOKED',
      revokeReason: 'found in a public commit',
    });
    expect(Math.abs(Number(revoked!.revokedAtMs) - Date.now())).toBeLessThan(60_000);
    expect([await reserve(key), await resolve(key.value)]).toEqual(['invalid_api_key', 'invalid_api_key']);
    const again = await revokeLeaked(key.value, 'found again');
    expect(again.outcome).toBe('LEAKED_VALUE_OUTCOME_UNCHANGED');
    expect(again.key!.revokeReason).toBe('found in a public commit');
  });

  test('ends only a rotated-out value at once, and the new value keeps working', async () => {
    const key = await one.createFundedKey(1_000n);
    const { value } = await rotate(key, 3_600);
    expect((await revokeLeaked(key.value)).outcome).toBe('LEAKED_VALUE_OUTCOME_VALUE_ENDED');
    await notified(key.keyId);
    expect([await resolve(key.value), await resolve(value)]).toEqual(['expired_api_key', key.keyId]);
    expect((await revokeLeaked(key.value)).outcome).toBe('LEAKED_VALUE_OUTCOME_UNCHANGED');
    expect((await revokeLeaked(value)).outcome).toBe('LEAKED_VALUE_OUTCOME_KEY_REVOKED');
  });

  test('answers not_found for an unknown value and changes nothing for a deleted key', async () => {
    await expect(revokeLeaked(createKeyValue())).rejects.toMatchObject({ code: 'not_found' });
    await expect(revokeLeaked('sk-gw-not-a-key')).rejects.toMatchObject({ code: 'not_found' });
    const key = await one.createFundedKey(0n);
    await callUnary(dash(), dash().DeleteKey, idsOf(key), WAIT);
    const { key: deleted, outcome } = await revokeLeaked(key.value);
    expect([deleted!.status, outcome]).toEqual(['KEY_STATUS_DELETED', 'LEAKED_VALUE_OUTCOME_UNCHANGED']);
  });
});

describe('disabling a key', () => {
  test('refuses its next call but not running ones, until the key is enabled again', async () => {
    const key = await one.createFundedKey(1_000n);
    const running = reserveRequest(key, 10n);
    await one.reserve(running);
    expect((await enable(key, false)).status).toBe('KEY_STATUS_DISABLED');
    expect([await reserve(key), await resolve(key.value)]).toEqual(['invalid_api_key', 'invalid_api_key']);
    await notified(key.keyId);
    await one.deliver(usageEvent(running, 7n));
    expect((await one.account(key.accountId)).balanceNano).toBe('993');
    await enable(key, true);
    expect([await reserve(key), await resolve(key.value)]).toEqual(['granted 1', key.keyId]);
  });
});

describe('rotating a key', () => {
  test('returns a new value; the old one works until the grace period ends, then is expired', async () => {
    const key = await one.createFundedKey(1_000n);
    const { key: rotated, value } = await rotate(key, 3_600);
    expect(value).not.toBe(key.value);
    expect(rotated).toMatchObject({ id: key.keyId, hint: value.slice(-4) });
    await notified(key.keyId);
    expect([await resolve(key.value), await resolve(value)]).toEqual([key.keyId, key.keyId]);
    const until = Number((await other.resolve(key.value)).validUntilMs);
    expect(Math.abs(until - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect((await other.resolve(value)).validUntilMs).toBe('0');
    await pool.query(
      `UPDATE billing.key_values SET retires_at = now() - interval '1 ms' WHERE key_id = $1 AND retires_at IS NOT NULL`,
      [key.keyId],
    );
    expect([await resolve(key.value), await resolve(value)]).toEqual(['expired_api_key', key.keyId]);
  });

  test('expires the old value at once without a grace period; a shorter grace shortens earlier ones', async () => {
    const key = await one.createFundedKey(1_000n);
    const second = await rotate(key, 0);
    expect(await resolve(key.value)).toBe('expired_api_key');
    const third = await rotate(key, 86_400 * 30);
    expect([await resolve(key.value), await resolve(second.value), await resolve(third.value)]).toEqual([
      'expired_api_key',
      key.keyId,
      key.keyId,
    ]);
    // A later rotation with a shorter grace shortens those before it.
    await rotate(key, 0);
    expect([await resolve(second.value), await resolve(third.value)]).toEqual(
      Array(2).fill('expired_api_key'),
    );
  });

  test('with a grace period longer than 30 days is rejected', async () => {
    const key = await one.createFundedKey(0n);
    await expect(rotate(key, 86_400 * 30 + 1)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('keeps a bounded number of old values', async () => {
    const key = await one.createFundedKey(0n);
    for (let i = 0; i < 105; i++) await rotate(key, 1_000 + i);
    const { rows } = await pool.query('SELECT count(*) FROM billing.key_values WHERE key_id = $1', [
      key.keyId,
    ]);
    expect(rows[0].count).toBe(101n);
  });
});

test('regenerating a key invalidates every older value at once, including rotated ones', async () => {
  const key = await one.createFundedKey(1_000n);
  const second = await rotate(key, 3_600);
  const third = await regenerate(key);
  await notified(key.keyId);
  expect([await resolve(key.value), await resolve(second.value), await resolve(third.value)]).toEqual([
    'invalid_api_key',
    'invalid_api_key',
    key.keyId,
  ]);
  expect(await reserve(key)).toBe('granted 1');
});

describe('a call with an old key value', () => {
  /** Returns the results of a paid call, a free call and a context lookup with a value. */
  const resultsWith = async (key: Key, valueId: string) => {
    const context = await contextOf(key, valueId);
    return [
      await reserve(key, 1n, { valueId }),
      await reserve(key, 0n, { valueId, free: true }),
      typeof context === 'string' ? context : context.keyId,
    ];
  };

  test('is refused as expired once the grace period of the rotation ends, and not before', async () => {
    const key = await one.createFundedKey(1_000n);
    const old = await valueIdOf(key.value);
    const { value } = await rotate(key, 3_600);
    const second = await valueIdOf(value);
    expect(await resultsWith(key, old)).toEqual(['granted 1', 'granted 0', key.keyId]);
    await rotate(key, 0);
    for (const id of [old, second]) {
      expect(await resultsWith(key, id)).toEqual(Array(3).fill('expired_api_key'));
    }
  });

  test('is refused as invalid after regeneration; the new value and no value are accepted', async () => {
    const key = await one.createFundedKey(1_000n);
    const old = await valueIdOf(key.value);
    const { value } = await regenerate(key);
    expect(await resultsWith(key, old)).toEqual(Array(3).fill('invalid_api_key'));
    const good = ['granted 1', 'granted 0', key.keyId];
    expect(await resultsWith(key, await valueIdOf(value))).toEqual(good);
    expect(await resultsWith(key, '')).toEqual(good);
  });

  test('is decided by its own value id in a batch of calls', async () => {
    const key = await one.createFundedKey(1_000n);
    const stranger = await one.createFundedKey(1_000n);
    const rotated = await valueIdOf(key.value);
    const { value } = await rotate(key, 0);
    const live = await valueIdOf(value);
    const replies = await other.reserve(
      ...[rotated, live, await valueIdOf(stranger.value), ''].map((valueId) =>
        reserveRequest(key, 1n, { valueId }),
      ),
    );
    expect(replies.map(summary)).toEqual(['expired_api_key', 'granted 1', 'invalid_api_key', 'granted 1']);
  });
});

test("the key context reflects current settings and is returned to the key's account only", async () => {
  const key = await one.createFundedKey(0n);
  const stranger = await one.createFundedKey(0n);
  const valueId = await valueIdOf(key.value);
  await update(key, { setAllowedModels: true, allowedModels: ['sim/chat'] });
  await callUnary(dash(), dash().OptIn, { accountId: key.accountId, model: 'sim/preview' }, WAIT);
  expect(await contextOf(key, valueId)).toEqual({
    keyId: key.keyId,
    accountId: key.accountId,
    allowedModels: ['sim/chat'],
    previewModels: ['sim/preview'],
    scopes: [],
    allowedIps: [],
    clientAddress: '',
    bareModelNames: false,
    valueId,
    hasTpmLimit: false,
    noFallbackModels: false,
    dropUnsupportedTools: false,
    detailedMessages: false,
    cell: '',
  });
  const settings = { noFallbackModels: true, dropUnsupportedTools: true, detailedMessages: true };
  await update(key, settings);
  await update(key, { name: 'renamed' });
  expect(await contextOf(key, valueId)).toMatchObject(settings);
  expect(await contextOf({ ...key, accountId: stranger.accountId })).toBe('invalid_api_key');
  await enable(key, false);
  expect(await contextOf(key, valueId)).toBe('invalid_api_key');
  await enable(key, true);
  await update(key, { expiresAtMs: '1' });
  expect(await contextOf(key, valueId)).toBe('expired_api_key');
});

describe('revoking a key by id', () => {
  test('is permanent: the key cannot be enabled, rotated or regenerated', async () => {
    const key = await one.createFundedKey(1_000n);
    expect((await revoke(key.keyId)).status).toBe('KEY_STATUS_REVOKED');
    await notified(key.keyId);
    expect([await reserve(key), await resolve(key.value)]).toEqual(['invalid_api_key', 'invalid_api_key']);
    expect((await revoke(key.keyId)).status).toBe('KEY_STATUS_REVOKED');
    for (const reactivate of [() => enable(key, true), () => rotate(key, 0), () => regenerate(key)]) {
      await expect(reactivate()).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(await resolve(key.value)).toBe('invalid_api_key');
    await expect(revoke('key_nobody')).rejects.toMatchObject({ code: 'not_found' });
  });
});

test("key operations answer not_found for another account's, a deleted and an unknown key", async () => {
  const key = await one.createFundedKey(0n);
  const stranger = await one.createFundedKey(0n);
  const deleted = await one.createFundedKey(0n);
  await callUnary(dash(), dash().DeleteKey, idsOf(deleted), WAIT);
  for (const target of [
    { ...key, accountId: stranger.accountId },
    { ...key, keyId: 'key_nobody' },
    deleted,
  ]) {
    for (const call of [
      () => update(target, { name: 'x' }),
      () => enable(target, false),
      () => rotate(target, 0),
      () => regenerate(target),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'not_found' });
    }
  }
  await expect(revoke(deleted.keyId)).rejects.toMatchObject({ code: 'not_found' });
  expect(await resolve(key.value)).toBe(key.keyId);
});

describe('account settings', () => {
  const suspend = (id: string, suspended: boolean) =>
    callUnary(dash(), dash().SetAccountSuspended, { id, suspended }, WAIT);
  const limit = (id: string, changes: object) =>
    callUnary(dash(), dash().UpdateAccountLimits, { id, ...changes }, WAIT);
  const optIn = (accountId: string, model: string) =>
    callUnary(dash(), dash().OptIn, { accountId, model }, WAIT);

  test('suspending the account refuses its keys until it is active again', async () => {
    const key = await one.createFundedKey(1_000n);
    expect((await suspend(key.accountId, true)).status).toBe('ACCOUNT_STATUS_SUSPENDED');
    await notified(key.accountId);
    expect([await reserve(key), await resolve(key.value)]).toEqual(['invalid_api_key', 'invalid_api_key']);
    expect((await suspend(key.accountId, false)).status).toBe('ACCOUNT_STATUS_ACTIVE');
    expect([await reserve(key), await resolve(key.value)]).toEqual(['granted 1', key.keyId]);
  });

  test('include a daily limit and an insufficient-funds policy', async () => {
    const key = await one.createFundedKey(1_000n);
    const short = { floorNano: '1' };
    expect(await limit(key.accountId, { dailyLimitNano: '80' })).toMatchObject({
      dailyLimitNano: '80',
      whenShort: 'WHEN_SHORT_LOWER',
    });
    expect(await reserve(key, 800n, short)).toBe('granted 10');
    expect(await limit(key.accountId, { whenShort: 'WHEN_SHORT_REFUSE' })).toMatchObject({
      dailyLimitNano: '80',
      whenShort: 'WHEN_SHORT_REFUSE',
    });
    expect(await reserve(key, 800n, short)).toBe('account_daily_limit');
    const lifted = await limit(key.accountId, { liftDailyLimit: true });
    expect(lifted).not.toHaveProperty('dailyLimitNano');
    expect(await reserve(key, 800n, short)).toBe('granted 800');
    await expect(limit(key.accountId, { liftDailyLimit: true, dailyLimitNano: '1' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('allow bare model names from the next call on, unless the key has its own setting', async () => {
    const key = await one.createFundedKey(1_000n);
    const bare = { bareModelName: true };
    expect(await reserve(key, 1n, bare)).toBe('invalid_model');
    expect(await contextOf(key)).toMatchObject({ bareModelNames: false });
    expect(await limit(key.accountId, { bareModelNames: true })).toMatchObject({ bareModelNames: true });
    await notified(key.accountId);
    expect(await reserve(key, 1n, bare)).toBe('granted 1');
    expect(await contextOf(key)).toMatchObject({ bareModelNames: true });
    const refusing = await update(key, { bareModelNames: false });
    expect(refusing).toMatchObject({ bareModelNames: false });
    expect(await reserve(key, 1n, bare)).toBe('invalid_model');
    expect(await reserve(key)).toBe('granted 1');
    const following = await update(key, { lift: ['KEY_LIMIT_BARE_MODEL_NAMES'] });
    expect(following).not.toHaveProperty('bareModelNames');
    expect(await reserve(key, 1n, bare)).toBe('granted 1');
    await limit(key.accountId, { bareModelNames: false });
    expect(await reserve(key, 1n, bare)).toBe('invalid_model');
    await update(key, { bareModelNames: true });
    expect(await reserve(key, 1n, bare)).toBe('granted 1');
  });

  test('opt in to a preview model once and notify the watching edges', async () => {
    const key = await one.createFundedKey(0n);
    await optIn(key.accountId, 'sim/preview');
    await notified(key.accountId);
    expect(await optIn(key.accountId, 'sim/preview')).toMatchObject({ previewModels: ['sim/preview'] });
    expect((await other.resolve(key.value)).key?.previewModels).toEqual(['sim/preview']);
  });

  test('of an unknown account answer not_found', async () => {
    for (const call of [
      () => suspend('acct_nobody', true),
      () => limit('acct_nobody', {}),
      () => optIn('acct_nobody', 'sim/preview'),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('accounts are listed in pages, newest first', async () => {
    const made: string[] = [];
    for (let i = 0; i < 3; i++) made.unshift((await one.createFundedKey(0n)).accountId);
    const page = (cursor: string) => callUnary(dash(), dash().ListAccounts, { limit: 2, cursor }, WAIT);
    const first = await page('');
    const second = await page(first.nextCursor);
    expect([...first.accounts, ...second.accounts].slice(0, 3).map(({ id }) => id)).toEqual(made);
  });
});

describe('a balance adjustment', () => {
  const adjust = (accountId: string, amountNano: string, id: string) =>
    callUnary(dash(), dash().CreateAdjustment, { id, accountId, amountNano, reason: 'goodwill' }, WAIT);

  test('is booked once, may make the balance negative, and affects the next call', async () => {
    const key = await one.createFundedKey(100n);
    const id = `adj_${key.keyId}`;
    const entry = await adjust(key.accountId, '-150', id);
    expect(entry).toMatchObject({ kind: 'LEDGER_KIND_ADJUSTMENT', amountNano: '-150', reference: id });
    expect(await adjust(key.accountId, '-150', id)).toEqual(entry);
    const { entries } = await callUnary(dash(), dash().ListLedger, { accountId: key.accountId }, WAIT);
    expect(entries.map(({ kind, note }) => [kind, note])).toEqual([
      ['LEDGER_KIND_ADJUSTMENT', 'goodwill'],
      ['LEDGER_KIND_TOPUP', ''],
    ]);
    expect((await one.account(key.accountId)).balanceNano).toBe('-50');
    expect(await reserve(key)).toBe('insufficient_balance');
    await adjust(key.accountId, '51', `${id}-2`);
    expect(await reserve(key)).toBe('granted 1');
    await expect(adjust(key.accountId, '-151', id)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(adjust(key.accountId, '0', `${id}-3`)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(adjust('acct_nobody', '1', `${id}-4`)).rejects.toMatchObject({ code: 'not_found' });
    expect(await one.metric('ledger_drift_nano')).toBe(0);
  });

  test('is rejected when the balance would be out of range, as is a top-up', async () => {
    const { accountId } = await one.createFundedKey(0n);
    const most = String(10n ** 18n);
    for (let i = 0; i < 9; i++) await adjust(accountId, most, `adj_${accountId}_${i}`);
    const refused = { code: 'invalid_request', detail: 'the balance would be out of range' };
    await expect(adjust(accountId, most, `adj_${accountId}_9`)).rejects.toMatchObject(refused);
    const topup = {
      id: `top_${accountId}`,
      accountId,
      amountNano: most,
      reference: 'r',
      status: 'TOPUP_STATUS_CLEARED',
    } as const;
    await expect(callUnary(dash(), dash().CreateTopup, topup, WAIT)).rejects.toMatchObject(refused);
    expect((await one.account(accountId)).balanceNano).toBe(String(9n * 10n ** 18n));
    expect(await one.metric('ledger_drift_nano')).toBe(0);
  });
});
