import { afterEach, expect, test } from '@jest/globals';
import { Throttle, type ThrottleLease } from './throttle';

let throttle: Throttle | undefined;
afterEach(() => throttle?.close());

function start(answers: (ThrottleLease | Error)[]) {
  const clock = { ms: 0 };
  const wanted: number[] = [];
  throttle = new Throttle({
    nowMs: () => clock.ms,
    lease: async (count) => {
      wanted.push(count);
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const passed = async (times: number) => {
    let count = 0;
    for (let i = 0; i < times; i++) {
      await throttle!.admit().then(
        () => count++,
        (error) => expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 }),
      );
    }
    return count;
  };
  return { clock, wanted, passed };
}

const of = (permits: number): ThrottleLease => ({ throttled: true, permits, validMs: 1_000 });

test('admits every call while throttling is off', async () => {
  const { passed } = start([{ throttled: false, permits: 0, validMs: 1_000 }]);
  expect(await passed(1_000)).toBe(1_000);
});

test('admits no more calls than the leased permits in their second', async () => {
  const { clock, passed } = start([of(5), of(0)]);
  expect(await passed(20)).toBe(5);
  clock.ms = 100;
  expect(await passed(20)).toBe(0);
});

test('leases again when the permits are used up, and reports its demand', async () => {
  const { clock, passed, wanted } = start([of(5), of(3), of(0)]);
  expect(await passed(5)).toBe(5);
  clock.ms = 60;
  expect(await passed(10)).toBe(3);
  expect(wanted[1]).toBe(6);
});

test('discards the permits when their second ends', async () => {
  const { clock, passed } = start([of(5), of(2), of(0)]);
  expect(await passed(1)).toBe(1);
  clock.ms = 1_001;
  expect(await passed(10)).toBe(2);
});

test('fails with internal_error when billing is down', async () => {
  start([new Error('down')]);
  await expect(throttle!.admit()).rejects.toMatchObject({ code: 'internal_error' });
});
