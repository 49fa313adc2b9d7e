import { GatewayError } from '@gateway/errors';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { KeyCache, type ResolvedKey } from './key-cache';

const key = (keyId: string, accountId = 'account', validUntilMs = 0): ResolvedKey => ({
  context: { keyId, accountId },
  validUntilMs,
});

let nowMs: number;
let asked: string[];
let answers: Map<string, ResolvedKey | Error>;
let answering: () => Promise<void>;
let cache: KeyCache;

beforeEach(() => {
  nowMs = 1_000;
  asked = [];
  answers = new Map([
    ['a', key('key-a')],
    ['b', key('key-b', 'other')],
    ['c', key('key-c', 'account', 5_000)],
  ]);
  answering = async () => undefined;
  cache = new KeyCache({
    resolve: async (value) => {
      asked.push(value);
      const answer = answers.get(value) ?? new GatewayError('invalid_api_key');
      await answering();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    maxEntries: 3,
    maxRefusals: 2,
    refusalGapMs: 100,
    maxResolving: 4,
    now: () => nowMs,
    wait: async (ms) => {
      nowMs += ms;
    },
  });
  cache.watch();
});

/** Holds answers back until told. */
function holdAnswers(): () => void {
  let release!: () => void;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  answering = () => held;
  return () => {
    answering = async () => undefined;
    release();
  };
}

describe('a remembered key', () => {
  test('is asked for once', async () => {
    expect((await cache.resolve('a')).context.keyId).toBe('key-a');
    expect((await cache.resolve('a')).context.keyId).toBe('key-a');
    expect(asked).toEqual(['a']);
    expect(cache.lookups).toMatchObject({ resolved: 1, hit: 1 });
  });

  test('is asked for once by many at the same time', async () => {
    const release = holdAnswers();
    const all = Promise.all([cache.resolve('a'), cache.resolve('a'), cache.resolve('a')]);
    release();
    expect((await all).map(({ context }) => context.keyId)).toEqual(['key-a', 'key-a', 'key-a']);
    expect(asked).toEqual(['a']);
  });

  test('ends when its validity does', async () => {
    await cache.resolve('c');
    nowMs = 4_999;
    await cache.resolve('c');
    expect(asked).toEqual(['c']);
    nowMs = 5_000;
    answers.set('c', new GatewayError('expired_api_key'));
    await expect(cache.resolve('c')).rejects.toMatchObject({ code: 'expired_api_key' });
  });

  test('may be too old for a call that nothing checks again', async () => {
    await cache.resolve('a');
    nowMs += 1_001;
    await cache.resolve('a', 1_000);
    expect(asked).toEqual(['a', 'a']);
    await cache.resolve('a', 1_000);
    expect(asked).toEqual(['a', 'a']);
  });

  test('is dropped by a push for it or its account, and for no other', async () => {
    await cache.resolve('a');
    await cache.resolve('b');
    cache.invalidate(['key-a'], []);
    await cache.resolve('b');
    await cache.resolve('a');
    cache.invalidate([], ['other']);
    await cache.resolve('a');
    await cache.resolve('b');
    expect(asked).toEqual(['a', 'b', 'a', 'b']);
  });

  test('makes room for others when it was used the longest ago', async () => {
    for (const value of ['d', 'e']) answers.set(value, key(`key-${value}`));
    for (const value of ['a', 'b', 'd', 'a', 'e', 'a', 'b']) await cache.resolve(value);
    expect(asked).toEqual(['a', 'b', 'd', 'e', 'b']);
    expect(cache.size).toBe(3);
  });
});

describe('while changes are not being pushed', () => {
  test('nothing is remembered', async () => {
    await cache.resolve('a');
    cache.unwatch();
    expect(cache.size).toBe(0);
    await cache.resolve('a');
    await cache.resolve('a');
    expect(asked).toEqual(['a', 'a', 'a']);
    cache.watch();
    await cache.resolve('a');
    await cache.resolve('a');
    expect(asked).toHaveLength(4);
  });

  test('refusals are not remembered either', async () => {
    cache.unwatch();
    await expect(cache.resolve('x')).rejects.toMatchObject({ code: 'invalid_api_key' });
    await expect(cache.resolve('x')).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(asked).toEqual(['x', 'x']);
  });
});

describe('an answer that a push overtakes', () => {
  test.each([
    ['of this key', () => cache.invalidate(['key-a'], [])],
    ['lost', () => cache.unwatch()],
    ['lost and back', () => [cache.unwatch(), cache.watch()]],
  ])('is not kept, nor joined: push %s', async (_what, push) => {
    const release = holdAnswers();
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

describe('a refusal', () => {
  test('is never answered from memory: the very next call asks again', async () => {
    await expect(cache.resolve('x')).rejects.toMatchObject({ code: 'invalid_api_key' });
    answers.set('x', key('key-x'));
    expect((await cache.resolve('x')).context.keyId).toBe('key-x');
    expect(asked).toEqual(['x', 'x']);
  });

  test('nor from a question that is older than the call', async () => {
    const release = holdAnswers();
    const early = cache.resolve('x');
    answers.set('x', key('key-x'));
    const late = [cache.resolve('x'), cache.resolve('x')];
    release();
    await expect(early).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect((await Promise.all(late)).map(({ context }) => context.keyId)).toEqual(['key-x', 'key-x']);
    expect(asked).toEqual(['x', 'x']);
  });

  test('is asked for by all who come within the gap together, when it is over', async () => {
    await expect(cache.resolve('x')).rejects.toThrow();
    nowMs += 30;
    const all = Array.from({ length: 50 }, () => cache.resolve('x').catch((error) => error.code));
    expect(asked).toEqual(['x']);
    expect(await Promise.all(all)).toEqual(Array(50).fill('invalid_api_key'));
    expect(asked).toEqual(['x', 'x']);
    expect(nowMs).toBe(1_100);
    expect(cache.lookups).toMatchObject({ resolved: 2, delayed: 50 });
  });

  test('is asked for at once after a push', async () => {
    await expect(cache.resolve('x')).rejects.toThrow();
    answers.set('x', key('key-x'));
    cache.invalidate(['key-x'], []);
    await cache.resolve('x');
    expect(nowMs).toBe(1_000);
  });

  test('never pushes out a key', async () => {
    await cache.resolve('a');
    for (const value of ['x', 'y', 'z', 'x']) await expect(cache.resolve(value)).rejects.toThrow();
    await cache.resolve('a');
    expect(asked).toEqual(['a', 'x', 'y', 'z', 'x']);
  });

  test('is not what a failure is', async () => {
    answers.set('a', new Error('no connection'));
    await expect(cache.resolve('a')).rejects.toMatchObject({ code: 'internal_error' });
    answers.set('a', key('key-a'));
    expect((await cache.resolve('a')).context.keyId).toBe('key-a');
  });
});

test('questions under way are bounded', async () => {
  const release = holdAnswers();
  const some = ['1', '2', '3', '4'].map((value) => cache.resolve(value).catch((error) => error.code));
  await expect(cache.resolve('5')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  release();
  expect(await Promise.all(some)).toEqual(Array(4).fill('invalid_api_key'));
  expect((await cache.resolve('a')).context.keyId).toBe('key-a');
});
