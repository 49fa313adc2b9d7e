import { expect, test } from '@jest/globals';
import { type MoneyChange, sumMoney } from './money-change';

const change = (
  accountId: string,
  keyId: string,
  day: string,
  heldNano: bigint,
  settledNano: bigint,
): MoneyChange => ({ accountId, keyId, day, heldNano, settledNano });

test('sums changes by account and by window; a month window sums all its days', () => {
  const { accounts, windows } = sumMoney([
    change('a', 'k', '2028-02-28', -5n, 3n),
    change('a', 'k', '2028-02-29', -7n, 0n),
    change('a', 'k', '2028-02-29', -1n, 1n),
    change('a', 'other', '2028-02-29', -2n, 2n),
    change('b', 'b-key', '2028-03-01', -4n, 4n),
  ]);
  expect(accounts).toEqual([
    { accountId: 'a', heldNano: -15n, settledNano: 6n },
    { accountId: 'b', heldNano: -4n, settledNano: 4n },
  ]);
  const summaries = windows.map(
    ({ accountId, kind, subjectId, startsOn, heldNano, settledNano }) =>
      `${accountId} ${kind} ${subjectId} ${startsOn} ${heldNano} ${settledNano}`,
  );
  expect(summaries.sort()).toEqual([
    'a account_day a 2028-02-28 -5 3',
    'a account_day a 2028-02-29 -10 3',
    'a key_day k 2028-02-28 -5 3',
    'a key_day k 2028-02-29 -8 1',
    'a key_day other 2028-02-29 -2 2',
    'a key_month k 2028-02-01 -13 4',
    'a key_month other 2028-02-01 -2 2',
    'b account_day b 2028-03-01 -4 4',
    'b key_day b-key 2028-03-01 -4 4',
    'b key_month b-key 2028-03-01 -4 4',
  ]);
});

test('does not modify its input', () => {
  const given = change('a', 'k', '2028-02-28', 1n, 0n);
  sumMoney([given, given]);
  expect(given.heldNano).toBe(1n);
});
