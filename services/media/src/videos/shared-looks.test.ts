import { beforeEach, expect, test } from '@jest/globals';
import { SharedLooks } from './shared-looks';

let nowMs = 0;
let looked = 0;
let looks: SharedLooks<number>;
beforeEach(() => {
  nowMs = 0;
  looked = 0;
  looks = new SharedLooks({
    maxLooks: 2,
    maxAccountLooks: 3,
    keepMs: (answer) => (answer < 100 ? 5_000 : 0),
    nowMs: () => nowMs,
  });
});

const of = (provider: string, id: string, accountId = 'one') => ({ provider, accountId, id });
const look = async () => ++looked;
const fails = async () => {
  looked++;
  throw new Error('no');
};
const hang = () => new Promise<number>(() => {});

test('all who ask at once share a look, and who asks soon after its answer', async () => {
  expect(await Promise.all([looks.at(of('p', 'a'), look), looks.at(of('p', 'a'), look)])).toEqual([1, 1]);
  nowMs = 4_999;
  expect(await looks.at(of('p', 'a'), look)).toBe(1);
  expect(await looks.at(of('p', 'b'), look)).toBe(2);
  nowMs = 5_000;
  expect(await looks.at(of('p', 'a'), look)).toBe(3);
});

test('an answer that must not be kept is that of one look only', async () => {
  looked = 100;
  expect(await looks.at(of('p', 'a'), look)).toBe(101);
  expect(await looks.at(of('p', 'a'), look)).toBe(102);
});

test('a failure is told to those who wait for it, and to nobody after', async () => {
  const both = await Promise.allSettled([looks.at(of('p', 'a'), fails), looks.at(of('p', 'a'), fails)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(looked).toBe(1);
  expect(await looks.at(of('p', 'a'), look)).toBe(2);
});

test('one provider is asked so many things at a time; failed looks and ended ones make room', async () => {
  await expect(looks.at(of('p', 'x'), fails)).rejects.toThrow('no');
  await looks.at(of('p', 'y'), look);
  void looks.at(of('p', 'a'), hang);
  void looks.at(of('p', 'b'), hang);
  await expect(looks.at(of('p', 'c'), look)).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 1,
  });
  expect(await looks.at(of('p', 'y'), look)).toBe(2);
  expect(await looks.at(of('q', 'c'), look)).toBe(3);
});

test("one account takes but a part of a provider's, and what is known costs it nothing", async () => {
  looks = new SharedLooks({ maxLooks: 3, maxAccountLooks: 2, keepMs: () => 5_000, nowMs: () => nowMs });
  await looks.at(of('p', 'known'), look);
  for (const id of ['a', 'b']) void looks.at(of('p', id), hang);
  await expect(looks.at(of('p', 'c'), look)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await looks.at(of('p', 'known'), look)).toBe(1);
  expect(await looks.at(of('q', 'd'), look)).toBe(2);
  expect(await looks.at(of('p', 'e', 'other'), look)).toBe(3);
});
