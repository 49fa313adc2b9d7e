import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import type { WatchKeysResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysResponse';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, refusalOf, reserveRequest, summary, TestBilling, WAIT } from '../testing/test-billing';
import { createKeyValue } from './rules/key-value';

let database: TestDatabase;
let one: TestBilling;
let other: TestBilling;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  one = await TestBilling.start(database.url);
  other = await TestBilling.start(database.url);
  pool = createPool({ url: database.url, log: createLogger('test', 'silent') });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await Promise.all([one?.stop(), other?.stop()]);
  await database?.drop();
}, 60_000);

const deleteKey = (key: { accountId: string; keyId: string }, on = one) =>
  callUnary(on.asDashboard, on.asDashboard.DeleteKey, { accountId: key.accountId, id: key.keyId }, WAIT);

/** A watch stream, what it told so far, and whether it is up. */
function watch(on: TestBilling) {
  const heard: string[] = [];
  const state = { up: false, over: false, heard };
  const stream: ClientReadableStream<WatchKeysResponse__Output> = on.asEdge.WatchKeys({});
  stream.on('metadata', () => {
    state.up = true;
  });
  stream.on('data', ({ keyIds }) => heard.push(...keyIds));
  stream.on('error', () => {
    state.over = true;
  });
  stream.on('end', () => {
    state.over = true;
  });
  return { state, cancel: () => stream.cancel() };
}

describe('a value', () => {
  test('is answered with who it is', async () => {
    const key = await one.createFundedKey(0n, {});
    const { key: context, validUntilMs } = await other.resolve(key.value);
    expect(context).toEqual({
      keyId: key.keyId,
      accountId: key.accountId,
      allowedModels: [],
      bareModelNames: false,
      previewModels: [],
      valueId: expect.stringMatching(/^[0-9a-f]{16}$/),
      hasTpmLimit: false,
    });
    expect(validUntilMs).toBe('0');
    expect(key.value).toMatch(/^sk-gw-/);
  });

  test('is stored as a MAC only', async () => {
    const key = await one.createFundedKey(0n);
    const { rows } = await pool.query(
      `SELECT k::text || v::text AS all FROM billing.keys k JOIN billing.key_values v ON v.key_id = k.id WHERE k.id = $1`,
      [key.keyId],
    );
    expect(rows[0].all).not.toContain(key.value.slice(6, 38));
    expect(rows[0].all).toContain(key.value.slice(-4));
  });

  test('of a key that expires says until when; after that it is expired, not invalid', async () => {
    const soon = Date.now() + 3_600_000;
    const key = await one.createFundedKey(1_000n, { expiresAtMs: String(soon) });
    expect((await one.resolve(key.value)).validUntilMs).toBe(String(soon));
    await pool.query(`UPDATE billing.keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      key.keyId,
    ]);
    await expect(one.resolve(key.value)).rejects.toMatchObject({ code: 'expired_api_key' });
    const [reply] = await one.reserve(reserveRequest(key, 1n));
    expect(summary(reply!)).toBe('expired_api_key');
  });

  test('made under an older pepper is still found', async () => {
    const key = await one.createFundedKey(0n);
    const rotated = await TestBilling.start(database.url, {
      KEY_PEPPER: 'another pepper for tests,a pepper for tests only',
    });
    try {
      expect((await rotated.resolve(key.value)).key?.keyId).toBe(key.keyId);
      const made = await rotated.createFundedKey(0n);
      await expect(one.resolve(made.value)).rejects.toMatchObject({ code: 'invalid_api_key' });
    } finally {
      await rotated.stop();
    }
  });
});

describe('what is no live key answers the same', () => {
  const errorOf = async (value: string) => {
    const error = await one.resolve(value).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return JSON.stringify(
      error,
      Object.getOwnPropertyNames(error).filter((name) => name !== 'stack'),
    );
  };
  const set = (sql: string) => async () => {
    const key = await one.createFundedKey(1_000n, { expiresAtMs: '1' });
    await pool.query(sql, [sql.includes('accounts') ? key.accountId : key.keyId]);
    return key.value;
  };
  test.each<[string, () => Promise<string>]>([
    ['nothing', async () => ''],
    ['malformed', async () => 'sk-gw-x'],
    ['unknown', async () => createKeyValue()],
    ['disabled', set(`UPDATE billing.keys SET status = 'disabled' WHERE id = $1`)],
    ['deleted', set(`UPDATE billing.keys SET status = 'deleted' WHERE id = $1`)],
    ['revoked', set(`UPDATE billing.keys SET status = 'revoked' WHERE id = $1`)],
    ['suspended account', set(`UPDATE billing.accounts SET status = 'suspended' WHERE id = $1`)],
  ])('%s', async (_, value) => {
    expect(await errorOf(await value())).toBe(await errorOf('sk-gw-'));
    await expect(one.resolve(await value())).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('deleting a key', () => {
  test('is told to the watchers of every instance, and refused to its next call', async () => {
    const key = await one.createFundedKey(1_000n);
    const watchers = [watch(one), watch(other)];
    await eventually(() => watchers.every(({ state }) => state.up));
    expect((await deleteKey(key)).status).toBe('KEY_STATUS_DELETED');
    expect(summary((await other.reserve(reserveRequest(key, 1n)))[0]!)).toBe('invalid_api_key');
    await expect(other.resolve(key.value)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await eventually(() => watchers.every(({ state }) => state.heard.includes(key.keyId)));
    for (const watcher of watchers) watcher.cancel();
  });

  test('of another account, or twice, finds nothing', async () => {
    const key = await one.createFundedKey(0n);
    const stranger = await one.createFundedKey(0n);
    await expect(deleteKey({ ...key, accountId: stranger.accountId })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await one.resolve(key.value)).key?.keyId).toBe(key.keyId);
    await deleteKey(key);
    await expect(deleteKey(key)).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('watchers are sent away when changes can no longer be heard, and may come back when they can', async () => {
  const watcher = watch(one);
  await eventually(() => watcher.state.up);
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'billing key listener'`,
  );
  await eventually(() => watcher.state.over);
  await eventually(async () => (await one.ready()) === 'ok');
  const key = await one.createFundedKey(0n);
  let again = watch(one);
  await eventually(() => {
    if (again.state.over) again = watch(one);
    return again.state.up;
  });
  await deleteKey(key);
  await eventually(() => again.state.heard.includes(key.keyId));
  again.cancel();
});

describe('a call', () => {
  test("with another account's key, or an unknown one, is refused as one with a bad key", async () => {
    const key = await one.createFundedKey(1_000n);
    const stranger = await one.createFundedKey(1_000n);
    const replies = await one.reserve(
      reserveRequest({ ...key, accountId: stranger.accountId }, 1n),
      reserveRequest({ ...key, accountId: 'acct_nobody' }, 1n),
      reserveRequest({ ...key, keyId: 'key_nobody' }, 1n),
    );
    expect(replies.map(summary)).toEqual(Array(3).fill('invalid_api_key'));
  });

  test('outside the allowlist is refused whatever a cache says', async () => {
    const { asDashboard: client } = one;
    const { accountId } = await one.createFundedKey(1_000n);
    const made = await callUnary(
      client,
      client.CreateKey,
      { accountId, name: '', allowedModels: ['sim/other'] },
      WAIT,
    );
    const key = { accountId, keyId: made.key!.id };
    const replies = await one.reserve(
      reserveRequest(key, 1n),
      reserveRequest(key, 1n, { model: 'sim/other' }),
    );
    expect(replies.map(summary)).toEqual(['model_not_found', 'granted 1']);
  });

  test('over a cap is told the cap, its use and its end', async () => {
    const key = await one.createFundedKey(1_000n, { dailyLimitNano: '100' });
    const [, reply] = await one.reserve(reserveRequest(key, 90n), reserveRequest(key, 11n));
    const { code, cap } = refusalOf(reply!);
    expect([code, cap?.limitNano, cap?.usedNano]).toEqual(['key_daily_limit', 100n, 90n]);
    const { rows } = await pool.query(
      `SELECT billing.epoch_ms(date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day') AS end`,
    );
    expect(BigInt(cap!.resetsAtMs!)).toBe(rows[0].end);
  });

  test('that is malformed is answered, and so are those beside it', async () => {
    const key = await one.createFundedKey(1_000n);
    const replies = await one.reserve(
      reserveRequest(key, 1n, { requestId: 'not-a-uuid' }),
      reserveRequest(key, 1n, { model: 'a\0b' }),
      reserveRequest(key, 1n, { floorNano: '2' }),
      reserveRequest(key, -1n),
      reserveRequest(key, 1n, { boundTokens: '-1' }),
      reserveRequest(key, 1n),
    );
    expect(replies.map(summary)).toEqual([...Array(5).fill('internal_error'), 'granted 1']);
  });

  test('that takes no money leaves no hold', async () => {
    const key = await one.createFundedKey(0n);
    const replies = await one.reserve(reserveRequest(key, 0n, { free: true }), reserveRequest(key, 1n));
    expect(replies.map(summary)).toEqual(['granted 0', 'insufficient_balance']);
    expect(await one.account(key.accountId)).toMatchObject({ heldNano: '0' });
  });
});
