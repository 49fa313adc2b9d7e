import { beforeEach, expect, test } from '@jest/globals';
import { IdempotentCalls } from './idempotent-calls';

let made: string[];
let calls: IdempotentCalls;
beforeEach(() => {
  let keys = 0;
  made = [];
  calls = new IdempotentCalls(
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
  const [one, other] = await Promise.all([calls.call({ amount: 1 }, make), calls.call({ amount: 1 }, make)]);
  expect([one, other, await calls.call({ amount: 1 }, make)]).toEqual(['key 1', 'key 1', 'key 1']);
  expect(made).toEqual(['key 1']);
});

test('a retry has the same key, also after the dialog was closed and opened', async () => {
  await expect(calls.call({ amount: 1 }, fail)).rejects.toThrow('lost');
  calls.forgetCompleted();
  await calls.call({ amount: 1 }, make);
  expect(made).toEqual(['key 1', 'key 1']);
});

test('a different call, or the same call in a reopened dialog, has a new key', async () => {
  await calls.call({ amount: 1 }, make);
  await calls.call({ amount: 2 }, make);
  calls.forgetCompleted();
  await calls.call({ amount: 1 }, make);
  expect(made).toEqual(['key 1', 'key 2', 'key 3']);
});

test('a call with an unknown outcome is repeated until it is forgotten', async () => {
  const refuse = async () => {
    throw new Error('refused');
  };
  await expect(calls.call(5, refuse)).rejects.toThrow('refused');
  expect(calls.isRepeat(5)).toBe(false);
  await expect(calls.call(5, fail)).rejects.toThrow('lost');
  await expect(calls.call(5, refuse)).rejects.toThrow('refused');
  calls.forgetCompleted();
  expect([calls.isRepeat(5), calls.isRepeat(6)]).toEqual([true, false]);
  calls.forget(5);
  expect(calls.isRepeat(5)).toBe(false);
  await calls.call(5, make);
  expect([made, calls.isRepeat(5)]).toEqual([['key 1', 'key 2'], false]);
});
