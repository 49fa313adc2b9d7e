import { describe, expect, jest, test } from '@jest/globals';
import { memoryQuota } from './memory-quota';
import { leaseAll, Quota } from './quota';

const MIB = 1024 * 1024;
const RATE_LIMITED = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 });

describe('a quota', () => {
  test('limits each holder and all holders together, and makes released amounts available again', () => {
    const quota = new Quota({ limit: 10, perHolder: 6 });
    expect(quota.acquire('a', 6)).toBeUndefined();
    expect(quota.acquire('a', 1)).toBe('holder');
    expect(quota.acquire('b', 5)).toBe('limit');
    expect(quota.acquire('b', 4)).toBeUndefined();
    expect([quota.used, quota.available, quota.usedBy('a'), quota.usedBy('c')]).toEqual([10, 0, 6, 0]);
    quota.release('a', 6);
    expect(quota.acquire('a', 6)).toBeUndefined();
    expect(quota.refusals).toEqual({ holder: 1, limit: 1 });
  });

  test('that is elastic lets a holder acquire as much as it leaves to the others', () => {
    const quota = new Quota({ limit: 100, perHolder: 10, elastic: true });
    expect(quota.acquire('a', 51)).toBe('holder');
    expect(quota.acquire('a', 50)).toBeUndefined();
    expect(quota.acquire('b', 26)).toBe('holder');
    expect(quota.acquire('b', 25)).toBeUndefined();
    expect(quota.acquire('c', 10)).toBeUndefined();
  });

  test('keeps its reserve for small holders', () => {
    const quota = new Quota({ limit: 100, reserve: { amount: 50, smallHolder: 10 } });
    expect(quota.acquire('a', 50)).toBeUndefined();
    expect(quota.acquire('a', 1)).toBe('holder');
    expect(quota.acquire('b', 11)).toBe('holder');
    expect(quota.acquire('b', 10)).toBeUndefined();
  });

  test('counts an amount without a holder against the limit only', () => {
    const quota = new Quota({ limit: 10, perHolder: 2 });
    expect(quota.acquire(undefined, 8)).toBeUndefined();
    expect(quota.acquire('a', 2)).toBeUndefined();
    expect(quota.acquire(undefined)).toBe('limit');
    quota.release(undefined, 8);
    expect(quota.used).toBe(2);
  });

  test('for memory is elastic and reserves the last eighth for small holders', () => {
    const quota = memoryQuota(64 * MIB, MIB);
    expect(quota.acquire('a', 33 * MIB)).toBe('holder');
    for (const [holder, mib] of [
      ['a', 32],
      ['b', 16],
      ['c', 8],
    ] as const) {
      expect(quota.acquire(holder, mib * MIB)).toBeUndefined();
    }
    expect([quota.acquire('a', 1), quota.acquire('d', MIB), quota.acquire('d', 64 * 1024)]).toEqual([
      'holder',
      'holder',
      undefined,
    ]);
  });
});

describe('a lease', () => {
  test('is released once even if its release function is called again', () => {
    const quota = new Quota({ limit: 2 });
    const release = quota.lease('a', 2);
    expect(() => quota.lease('b')).toThrow(RATE_LIMITED);
    release();
    release();
    expect(quota.used).toBe(0);
  });

  test('of several quotas acquires from all of them or from none', () => {
    const wide = new Quota({ limit: 10 });
    const narrow = new Quota({ limit: 1 });
    const release = leaseAll([
      [wide, 'a', 5],
      [narrow, 'a', 1],
    ]);
    expect(() =>
      leaseAll([
        [wide, 'b', 5],
        [narrow, 'b', 1],
      ]),
    ).toThrow(RATE_LIMITED);
    expect([wide.used, narrow.used]).toEqual([5, 1]);
    release();
    expect([wide.used, narrow.used]).toEqual([0, 0]);
  });
});

describe('waiting for a quota', () => {
  test('ends with the first release that suffices, in the order of the waiting attempts', async () => {
    const quota = new Quota({ limit: 2 });
    const releases = [quota.lease('a'), quota.lease('b')];
    const done: string[] = [];
    const wait = async (name: string, amount: number) => {
      expect(await quota.waitFor(() => !quota.acquire(name, amount), 10_000)).toBe(true);
      done.push(name);
    };
    const both = [wait('two', 2), wait('one', 1)];
    releases[0]!();
    await both[1];
    expect(done).toEqual(['one']);
    releases[1]!();
    quota.release('one');
    await both[0];
    expect(done).toEqual(['one', 'two']);
  });

  test('fails after its timeout and leaves the later attempts unaffected', async () => {
    jest.useFakeTimers();
    try {
      const quota = new Quota({ limit: 1 });
      const release = quota.lease('a');
      const short = quota.waitFor(() => !quota.acquire('b'), 1_000);
      const long = quota.waitFor(() => !quota.acquire('c'), 5_000);
      jest.advanceTimersByTime(1_000);
      expect(await short).toBe(false);
      release();
      expect([await long, quota.usedBy('c')]).toEqual([true, 1]);
    } finally {
      jest.useRealTimers();
    }
  });
});
