import { describe, expect, jest, test } from '@jest/globals';
import { AccountTurns } from './account-turns';

const TURNS = {
  atOnce: 3,
  atOnceOfAccount: 2,
  maxWaiting: 3,
  maxWaitingOfAccount: 2,
  waitMs: 1_000,
  of: 'cakes',
};

/** Work that ends when it is told to; `begun` names what has begun, in order. */
function world() {
  const turns = new AccountTurns(TURNS);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string) => {
    const done = turns.run(name[0] ?? '', async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
    // Those that still wait when a test is over are refused then.
    done.catch(() => {});
    return done;
  };
  const end = async (name: string, done: Promise<string>) => {
    ends.get(name)?.();
    expect(await done).toBe(name);
  };
  return { turns, begun, ask, end };
}

describe('turns', () => {
  test('an account has its share, and the others the rest, in the order in which they came', async () => {
    const { begun, ask, end } = world();
    const a1 = ask('a1');
    for (const name of ['a2', 'a3', 'b1', 'c1']) ask(name);
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a1', a1);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  test('who came later goes first when the account before has its share', async () => {
    const { begun, ask, end } = world();
    for (const name of ['a1', 'a2']) ask(name);
    const b1 = ask('b1');
    for (const name of ['a3', 'c1']) ask(name);
    await end('b1', b1);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  test('failing work gives its place back', async () => {
    const { turns, begun, ask } = world();
    await expect(turns.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    for (const name of ['a1', 'a2']) ask(name);
    expect(begun).toEqual(['a1', 'a2']);
  });

  test('too many that wait are refused, of one account and of all', async () => {
    const { ask } = world();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) ask(name);
    await expect(ask('a5')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
      detail: 'too many cakes at once',
    });
    ask('b2');
    await expect(ask('c1')).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('who waits too long is refused, and in nobody’s way', async () => {
    jest.useFakeTimers();
    try {
      const { begun, ask, end } = world();
      const a1 = ask('a1');
      ask('a2');
      const a3 = ask('a3');
      const refused = expect(a3).rejects.toMatchObject({ code: 'rate_limited' });
      jest.advanceTimersByTime(999);
      ask('a4');
      jest.advanceTimersByTime(1);
      await refused;
      await end('a1', a1);
      expect(begun).toEqual(['a1', 'a2', 'a4']);
    } finally {
      jest.useRealTimers();
    }
  });
});
