import { beforeEach, expect, test } from '@jest/globals';
import { AccessTokenCache } from './access-token-cache';

const HOUR_MS = 3_600_000;

let nowMs: number;
let requests: number;
let fails: boolean;
let lifetimeMs: number;
let cache: AccessTokenCache;

beforeEach(() => {
  nowMs = 0;
  requests = 0;
  fails = false;
  lifetimeMs = HOUR_MS;
  cache = new AccessTokenCache(
    async () => {
      const value = `token ${++requests}`;
      if (fails) throw new Error('endpoint failed');
      return { value, lifetimeMs };
    },
    () => nowMs,
  );
});

test('all callers of a credential without a token wait for one request', async () => {
  const values = await Promise.all([cache.get(), cache.get(), cache.get()]);
  expect(values).toEqual(['token 1', 'token 1', 'token 1']);
  expect(requests).toBe(1);
});

test('a token is used without waiting until shortly before it expires', async () => {
  await cache.get();
  nowMs = HOUR_MS - 5 * 60_000 - 1;
  expect(cache.get()).toBe('token 1');
  expect(requests).toBe(1);
});

test('a token that expires soon is used while it is refreshed', async () => {
  await cache.get();
  nowMs = HOUR_MS - 5 * 60_000;
  expect([cache.get(), cache.get()]).toEqual(['token 1', 'token 1']);
  await new Promise(setImmediate);
  expect(cache.get()).toBe('token 2');
  expect(requests).toBe(2);
});

test('a token is used until it expires if it cannot be refreshed, and the refresh is tried again only later', async () => {
  await cache.get();
  fails = true;
  nowMs = HOUR_MS - 5 * 60_000;
  for (let call = 0; call < 3; call++) {
    expect(cache.get()).toBe('token 1');
    await new Promise(setImmediate);
  }
  expect(requests).toBe(2);
  nowMs += 10_000;
  expect(cache.get()).toBe('token 1');
  expect(requests).toBe(3);
});

test('an expired token is not used: the call waits for a new one, or fails with its request', async () => {
  await cache.get();
  nowMs = HOUR_MS - 60_000;
  expect(await cache.get()).toBe('token 2');
  nowMs += HOUR_MS;
  fails = true;
  await expect(cache.get()).rejects.toThrow('endpoint failed');
  fails = false;
  expect(await cache.get()).toBe('token 4');
});

test('a token that the provider rejected is not used again', async () => {
  await cache.get();
  cache.forget();
  expect(await cache.get()).toBe('token 2');
});

test('a token with a short rest of its lifetime is not refreshed by every call', async () => {
  lifetimeMs = 4 * 60_000;
  await cache.get();
  nowMs = 9_999;
  expect(cache.get()).toBe('token 1');
  expect(requests).toBe(1);
  nowMs = 10_000;
  expect(cache.get()).toBe('token 1');
  expect(requests).toBe(2);
});
