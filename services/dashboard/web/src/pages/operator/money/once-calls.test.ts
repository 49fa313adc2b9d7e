import { beforeEach, expect, test } from '@jest/globals';
import { OnceCalls } from './once-calls';

let made: string[];
let once: OnceCalls;
beforeEach(() => {
  let keys = 0;
  made = [];
  once = new OnceCalls(
    () => `key ${++keys}`,
    (error) => (error as Error).message === 'lost',
  );
});

const make = async (key: string) => {
  made.push(key);
  return key;
};
const fail = async (key: string) => {
  made.push(key);
  throw new Error('lost');
};

test('a second click sends no second call, neither during the first nor after it', async () => {
  const [one, other] = await Promise.all([once.call({ amount: 1 }, make), once.call({ amount: 1 }, make)]);
  expect([one, other, await once.call({ amount: 1 }, make)]).toEqual(['key 1', 'key 1', 'key 1']);
  expect(made).toEqual(['key 1']);
});

test('a retry has the same key, also after the dialog was closed and opened', async () => {
  await expect(once.call({ amount: 1 }, fail)).rejects.toThrow('lost');
  once.begin();
  await once.call({ amount: 1 }, make);
  expect(made).toEqual(['key 1', 'key 1']);
});

test('a different call, or the same call in a reopened dialog, has a new key', async () => {
  await once.call({ amount: 1 }, make);
  await once.call({ amount: 2 }, make);
  once.begin();
  await once.call({ amount: 1 }, make);
  expect(made).toEqual(['key 1', 'key 2', 'key 3']);
});

test('a call with an unknown outcome is repeated until it is forgotten', async () => {
  const refuse = async () => {
    throw new Error('refused');
  };
  await expect(once.call(5, refuse)).rejects.toThrow('refused');
  expect(once.isRepeat(5)).toBe(false);
  await expect(once.call(5, fail)).rejects.toThrow('lost');
  await expect(once.call(5, refuse)).rejects.toThrow('refused');
  once.begin();
  expect([once.isRepeat(5), once.isRepeat(6)]).toEqual([true, false]);
  once.forget(5);
  expect(once.isRepeat(5)).toBe(false);
  await once.call(5, make);
  expect([made, once.isRepeat(5)]).toEqual([['key 1', 'key 2'], false]);
});
