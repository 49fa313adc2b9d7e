import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import type { WatchKeysResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysResponse';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase, until } from '@gateway/testing';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { refusalOf, reserveRequest, summary, TestBilling, WAIT } from '../testing/test-billing';
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

/** Opens a watch stream and records its key ids and its state. */
function watch(on: TestBilling) {
  const received: string[] = [];
  const state = { up: false, over: false, received };
  const stream: ClientReadableStream<WatchKeysResponse__Output> = on.asEdge.WatchKeys({});
  stream.on('metadata', () => {
    state.up = true;
  });
  stream.on('data', ({ keyIds }) => received.push(...keyIds));
  stream.on('error', () => {
    state.over = true;
  });
  stream.on('end', () => {
    state.over = true;
  });
  return { state, cancel: () => stream.cancel() };
}

describe('a key value', () => {
  test('resolves to the context of its key', async () => {
    const key = await one.createFundedKey(0n, {});
    const { key: context, validUntilMs } = await other.resolve(key.value);
    expect(context).toEqual({
      keyId: key.keyId,
      accountId: key.accountId,
      allowedModels: [],
      scopes: [],
      allowedIps: [],
      clientAddress: '',
      bareModelNames: false,
      previewModels: [],
      valueId: expect.stringMatching(/^[0-9a-f]{16}$/),
      hasTpmLimit: false,
      noFallbackModels: false,
      dropUnsupportedTools: false,
      detailedMessages: false,
      cell: '',
    });
    expect(validUntilMs).toBe('0');
    expect(key.value).toMatch(/^sk-gw-/);
  });

  test('is stored only as a MAC and a hint of four characters', async () => {
    const key = await one.createFundedKey(0n);
    const { rows } = await pool.query(
      `SELECT k::text || v::text AS all FROM billing.keys k JOIN billing.key_values v ON v.key_id = k.id WHERE k.id = $1`,
      [key.keyId],
    );
    expect(rows[0].all).not.toContain(key.value.slice(6, 38));
    expect(rows[0].all).toContain(key.value.slice(-4));
  });

  test('resolves with its expiry time, and is refused as expired rather than invalid afterwards', async () => {
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

  test('created under an older pepper still resolves', async () => {
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

describe('every value that cannot be used gets the same error', () => {
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
    ['empty', async () => ''],
    ['malformed', async () => 'sk-gw-x'],
    ['unknown', async () => createKeyValue()],
    ['disabled', set(`UPDATE billing.keys SET status = 'disabled' WHERE id = $1`)],
    ['deleted', set(`UPDATE billing.keys SET status = 'deleted' WHERE id = $1`)],
    ['revoked', set(`UPDATE billing.keys SET status = 'revoked' WHERE id = $1`)],
    ['of a suspended account', set(`UPDATE billing.accounts SET status = 'suspended' WHERE id = $1`)],
  ])('a value that is %s', async (_, value) => {
    expect(await errorOf(await value())).toBe(await errorOf('sk-gw-'));
    await expect(one.resolve(await value())).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('deleting a key', () => {
  test('notifies the watchers of every instance, and its next call is refused', async () => {
    const key = await one.createFundedKey(1_000n);
    const watchers = [watch(one), watch(other)];
    await until(() => watchers.every(({ state }) => state.up));
    expect((await deleteKey(key)).status).toBe('KEY_STATUS_DELETED');
    expect(summary((await other.reserve(reserveRequest(key, 1n)))[0]!)).toBe('invalid_api_key');
    await expect(other.resolve(key.value)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await until(() => watchers.every(({ state }) => state.received.includes(key.keyId)));
    for (const watcher of watchers) watcher.cancel();
  });

  test("answers not_found for another account's key and for a deleted one", async () => {
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

test('watch streams end when the database listener disconnects, and reopen when it reconnects', async () => {
  const watcher = watch(one);
  await until(() => watcher.state.up);
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'billing key listener'`,
  );
  await until(() => watcher.state.over);
  await until(async () => (await one.ready()) === 'ok');
  const key = await one.createFundedKey(0n);
  let again = watch(one);
  await until(() => {
    if (again.state.over) again = watch(one);
    return again.state.up;
  });
  await deleteKey(key);
  await until(() => again.state.received.includes(key.keyId));
  again.cancel();
});

describe('a call', () => {
  test("with another account's key or an unknown key is refused as invalid_api_key", async () => {
    const key = await one.createFundedKey(1_000n);
    const stranger = await one.createFundedKey(1_000n);
    const replies = await one.reserve(
      reserveRequest({ ...key, accountId: stranger.accountId }, 1n),
      reserveRequest({ ...key, accountId: 'acct_nobody' }, 1n),
      reserveRequest({ ...key, keyId: 'key_nobody' }, 1n),
    );
    expect(replies.map(summary)).toEqual(Array(3).fill('invalid_api_key'));
  });

  test('for a model outside the allowlist is refused, even though the edge may have a stale cache', async () => {
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

  test('over a cap is refused with the cap, its usage and its reset time', async () => {
    const key = await one.createFundedKey(1_000n, { dailyLimitNano: '100' });
    const [, reply] = await one.reserve(reserveRequest(key, 90n), reserveRequest(key, 11n));
    const { code, cap } = refusalOf(reply!);
    expect([code, cap?.limitNano, cap?.usedNano]).toEqual(['key_daily_limit', 100n, 90n]);
    const { rows } = await pool.query(
      `SELECT billing.epoch_ms(date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day') AS end`,
    );
    expect(BigInt(cap!.resetsAtMs!)).toBe(rows[0].end);
  });

  test('that is malformed is refused alone; the other calls of its batch are decided', async () => {
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

  test('without cost creates no hold', async () => {
    const key = await one.createFundedKey(0n);
    const replies = await one.reserve(reserveRequest(key, 0n, { free: true }), reserveRequest(key, 1n));
    expect(replies.map(summary)).toEqual(['granted 0', 'insufficient_balance']);
    expect(await one.account(key.accountId)).toMatchObject({ heldNano: '0' });
  });
});
