import { GatewayError } from '@gateway/errors';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { KeyCache, type ResolvedKey } from './key-cache';

const key = (keyId: string, accountId = 'account', validUntilMs = 0): ResolvedKey => ({
  context: { keyId, accountId },
  validUntilMs,
});

let nowMs: number;
let resolvedValues: string[];
let answers: Map<string, ResolvedKey | Error>;
let beforeResponse: () => Promise<void>;
let cache: KeyCache;

beforeEach(() => {
  nowMs = 1_000;
  resolvedValues = [];
  answers = new Map([
    ['a', key('key-a')],
    ['b', key('key-b', 'other')],
    ['c', key('key-c', 'account', 5_000)],
  ]);
  beforeResponse = async () => undefined;
  cache = new KeyCache({
    resolve: async (value) => {
      resolvedValues.push(value);
      const answer = answers.get(value) ?? new GatewayError('invalid_api_key');
      await beforeResponse();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    maxEntries: 3,
    maxRefusedKeys: 2,
    refusedKeyRetryMs: 100,
    now: () => nowMs,
    wait: async (ms) => {
      nowMs += ms;
    },
  });
  cache.watch('');
});

/** Blocks resolve responses until the returned function is called. */
function blockResponses(): () => void {
  let release!: () => void;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  beforeResponse = () => held;
  return () => {
    beforeResponse = async () => undefined;
    release();
  };
}

describe('a cached key', () => {
  test('is resolved once', async () => {
    expect((await cache.resolve('a')).context.keyId).toBe('key-a');
    expect((await cache.resolve('a')).context.keyId).toBe('key-a');
    expect(resolvedValues).toEqual(['a']);
    expect(cache.lookups).toMatchObject({ resolved: 1, hit: 1 });
  });

  test('is resolved once for concurrent calls', async () => {
    const release = blockResponses();
    const all = Promise.all([cache.resolve('a'), cache.resolve('a'), cache.resolve('a')]);
    release();
    expect((await all).map(({ context }) => context.keyId)).toEqual(['key-a', 'key-a', 'key-a']);
    expect(resolvedValues).toEqual(['a']);
  });

  test('is resolved again once its validity ends', async () => {
    await cache.resolve('c');
    nowMs = 4_999;
    await cache.resolve('c');
    expect(resolvedValues).toEqual(['c']);
    nowMs = 5_000;
    answers.set('c', new GatewayError('expired_api_key'));
    await expect(cache.resolve('c')).rejects.toMatchObject({ code: 'expired_api_key' });
  });

  test("is resolved again when it is older than the caller's maximum age", async () => {
    await cache.resolve('a');
    nowMs += 1_001;
    await cache.resolve('a', 1_000);
    expect(resolvedValues).toEqual(['a', 'a']);
    await cache.resolve('a', 1_000);
    expect(resolvedValues).toEqual(['a', 'a']);
  });

  test('is invalidated by a push for its key or account, and by no other', async () => {
    await cache.resolve('a');
    await cache.resolve('b');
    cache.invalidate(['key-a'], []);
    await cache.resolve('b');
    await cache.resolve('a');
    cache.invalidate([], ['other']);
    await cache.resolve('a');
    await cache.resolve('b');
    expect(resolvedValues).toEqual(['a', 'b', 'a', 'b']);
  });

  test('is evicted as the least recently used', async () => {
    for (const value of ['d', 'e']) answers.set(value, key(`key-${value}`));
    for (const value of ['a', 'b', 'd', 'a', 'e', 'a', 'b']) await cache.resolve(value);
    expect(resolvedValues).toEqual(['a', 'b', 'd', 'e', 'b']);
    expect(cache.size).toBe(3);
  });
});

describe('while the watch stream is down', () => {
  test('no key is cached', async () => {
    await cache.resolve('a');
    cache.unwatch('');
    expect(cache.size).toBe(0);
    await cache.resolve('a');
    await cache.resolve('a');
    expect(resolvedValues).toEqual(['a', 'a', 'a']);
    cache.watch('');
    await cache.resolve('a');
    await cache.resolve('a');
    expect(resolvedValues).toHaveLength(4);
  });

  test('only the keys of the cell that lost it are forgotten', async () => {
    cache.watch('b');
    answers.set('b', { ...key('key-b'), context: { keyId: 'key-b', accountId: 'other', cell: 'b' } });
    await cache.resolve('a');
    await cache.resolve('b');
    cache.unwatch('b');
    for (let again = 0; again < 2; again++) for (const value of ['a', 'b']) await cache.resolve(value);
    expect(resolvedValues).toEqual(['a', 'b', 'b', 'b']);
  });

  test('no refusal is cached', async () => {
    cache.unwatch('');
    await expect(cache.resolve('x')).rejects.toMatchObject({ code: 'invalid_api_key' });
    await expect(cache.resolve('x')).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(resolvedValues).toEqual(['x', 'x']);
  });
});

describe('a response that an invalidation overtakes', () => {
  test.each([
    ['push for the key', () => cache.invalidate(['key-a'], [])],
    ['watch stream lost', () => cache.unwatch('')],
    ['watch stream lost and restored', () => [cache.unwatch(''), cache.watch('')]],
  ])('is not cached and not shared with later calls: %s', async (_what, push) => {
    const release = blockResponses();
    const early = cache.resolve('a');
    push();
    answers.set('a', new GatewayError('invalid_api_key'));
    const late = cache.resolve('a');
    release();
    await expect(early).resolves.toMatchObject({ context: { keyId: 'key-a' } });
    await expect(late).rejects.toMatchObject({ code: 'invalid_api_key' });
    await expect(cache.resolve('a')).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('a refused key', () => {
  test('is resolved again by the next call', async () => {
    await expect(cache.resolve('x')).rejects.toMatchObject({ code: 'invalid_api_key' });
    answers.set('x', key('key-x'));
    expect((await cache.resolve('x')).context.keyId).toBe('key-x');
    expect(resolvedValues).toEqual(['x', 'x']);
  });

  test('is resolved again by a call that starts while an earlier lookup is running', async () => {
    const release = blockResponses();
    const early = cache.resolve('x');
    answers.set('x', key('key-x'));
    const late = [cache.resolve('x'), cache.resolve('x')];
    release();
    await expect(early).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect((await Promise.all(late)).map(({ context }) => context.keyId)).toEqual(['key-x', 'key-x']);
    expect(resolvedValues).toEqual(['x', 'x']);
  });

  test('is resolved once per interval for all calls that arrive within it', async () => {
    await expect(cache.resolve('x')).rejects.toThrow();
    nowMs += 30;
    const all = Array.from({ length: 50 }, () => cache.resolve('x').catch((error) => error.code));
    expect(resolvedValues).toEqual(['x']);
    expect(await Promise.all(all)).toEqual(Array(50).fill('invalid_api_key'));
    expect(resolvedValues).toEqual(['x', 'x']);
    expect(nowMs).toBe(1_100);
    expect(cache.lookups).toMatchObject({ resolved: 2, delayed: 50 });
  });

  test('is resolved without delay after a push', async () => {
    await expect(cache.resolve('x')).rejects.toThrow();
    answers.set('x', key('key-x'));
    cache.invalidate(['key-x'], []);
    await cache.resolve('x');
    expect(nowMs).toBe(1_000);
  });

  test('never evicts a valid key', async () => {
    await cache.resolve('a');
    for (const value of ['x', 'y', 'z', 'x']) await expect(cache.resolve(value)).rejects.toThrow();
    await cache.resolve('a');
    expect(resolvedValues).toEqual(['a', 'x', 'y', 'z', 'x']);
  });

  test('is not remembered after an internal error', async () => {
    answers.set('a', new Error('no connection'));
    await expect(cache.resolve('a')).rejects.toMatchObject({ code: 'internal_error' });
    answers.set('a', key('key-a'));
    expect((await cache.resolve('a')).context.keyId).toBe('key-a');
  });
});
