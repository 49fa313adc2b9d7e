import { describe, expect, test } from '@jest/globals';
import { GroupCommit, type GroupCommitOptions } from './group-commit';

interface Item {
  account: string;
  n: number;
}

/** A group commit whose batches end when the test says so. */
function build(options: Partial<GroupCommitOptions<Item, string>> = {}) {
  const batches: { items: readonly Item[]; end: (error?: unknown) => void }[] = [];
  const arrivals: (() => void)[] = [];
  const group = new GroupCommit<Item, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: unknown) =>
          error ? reject(error) : resolve(items.map(({ account, n }) => `${account}${n}`));
        batches.push({ items, end });
        for (const arrive of arrivals.splice(0)) arrive();
      }),
    accountOf: (item) => item.account,
    isTransient: (error) => error === 'transient',
    repeatTransient: true,
    maxBatch: 4,
    maxWaiting: 100,
    workers: 2,
    deadlineMs: 60_000,
    ...options,
  });
  const batch = async (index: number) => {
    while (batches.length <= index) await new Promise<void>((resolve) => arrivals.push(resolve));
    return batches[index]!;
  };
  const names = async (index: number) =>
    (await batch(index)).items.map(({ account, n }) => `${account}${n}`).join(' ');
  return { group, batches, batch, names };
}

test('items submitted in one tick share a batch and get their own results', async () => {
  const { group, batch, names } = build();
  const answers = Promise.all([1, 2, 3].map((n) => group.submit({ account: 'a', n })));
  expect(await names(0)).toBe('a1 a2 a3');
  (await batch(0)).end();
  expect(await answers).toEqual(['a1', 'a2', 'a3']);
});

test('accounts alternate; an account with a running batch waits for it, others do not', async () => {
  const { group, batch, names } = build();
  const all = [
    ...[1, 2, 3, 4, 5, 6].map((n) => group.submit({ account: 'a', n })),
    group.submit({ account: 'b', n: 1 }),
  ];
  expect(await names(0)).toBe('a1 b1 a2 a3');
  all.push(group.submit({ account: 'c', n: 1 }), group.submit({ account: 'b', n: 2 }));
  expect(await names(1)).toBe('c1');
  (await batch(0)).end();
  expect(await names(2)).toBe('a4 b2 a5 a6');
  (await batch(1)).end();
  (await batch(2)).end();
  expect(await Promise.all(all)).toHaveLength(9);
  await group.idle();
});

describe('a failed batch', () => {
  test('is retried once after a transient error', async () => {
    const { group, batch } = build();
    const answer = group.submit({ account: 'a', n: 1 });
    (await batch(0)).end('transient');
    (await batch(1)).end();
    expect(await answer).toBe('a1');
  });

  test('fails with internal_error after a second transient error', async () => {
    const { group, batch } = build();
    const answer = expect(group.submit({ account: 'a', n: 1 })).rejects.toMatchObject({
      code: 'internal_error',
    });
    (await batch(0)).end('transient');
    (await batch(1)).end('transient');
    await answer;
    await group.idle();
  });

  test('is split, so that an invalid item fails alone', async () => {
    const { group, batch, names } = build();
    const answers = Promise.allSettled([1, 2].map((n) => group.submit({ account: 'a', n })));
    (await batch(0)).end('bad');
    expect(await names(1)).toBe('a1');
    (await batch(1)).end('bad');
    (await batch(2)).end();
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

test('an item beyond the queue limit is rejected at once', async () => {
  const { group, batch } = build({ maxWaiting: 2 });
  const taken = ['a', 'b'].map((account) => group.submit({ account, n: 1 }));
  await expect(group.submit({ account: 'c', n: 1 })).rejects.toMatchObject({ code: 'internal_error' });
  (await batch(0)).end();
  await Promise.all(taken);
});

test('an account may queue at most half of the free places', async () => {
  const { group, batch } = build({ maxWaiting: 12, maxBatch: 12 });
  const items = ['a', 'b', 'c'].flatMap((account) => Array.from({ length: 12 }, (_, n) => ({ account, n })));
  const answers = Promise.allSettled(items.map((item) => group.submit(item)));
  const { items: taken, end } = await batch(0);
  expect(
    Object.entries(Object.groupBy(taken, ({ account }) => account)).map(([, all]) => all?.length),
  ).toEqual([6, 3, 2]);
  end();
  expect((await answers).filter(({ status }) => status === 'fulfilled')).toHaveLength(11);
  const later = group.submit({ account: 'a', n: 12 });
  (await batch(1)).end();
  expect(await later).toBe('a12');
});

test('the deadline rejects running and waiting items, and waiting items are never run', async () => {
  const { group, batch, batches } = build({ deadlineMs: 20, workers: 1 });
  const running = group.submit({ account: 'a', n: 1 });
  const first = await batch(0);
  const waiting = group.submit({ account: 'b', n: 1 });
  const answers = await Promise.allSettled([running, waiting]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  first.end();
  await group.idle();
  expect(batches).toHaveLength(1);
});
