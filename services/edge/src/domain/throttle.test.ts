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

test('off, it lets everything pass', async () => {
  const { passed } = start([{ throttled: false, permits: 0, validMs: 1_000 }]);
  expect(await passed(1_000)).toBe(1_000);
});

test('no more than the share passes in its second', async () => {
  const { clock, passed } = start([of(5), of(0)]);
  expect(await passed(20)).toBe(5);
  clock.ms = 100;
  expect(await passed(20)).toBe(0);
});

test('a share that is used up is asked for again, and what came is told', async () => {
  const { clock, passed, wanted } = start([of(5), of(3), of(0)]);
  expect(await passed(5)).toBe(5);
  clock.ms = 60;
  expect(await passed(10)).toBe(3);
  expect(wanted[1]).toBe(6);
});

test('a share ends with its second', async () => {
  const { clock, passed } = start([of(5), of(2), of(0)]);
  expect(await passed(1)).toBe(1);
  clock.ms = 1_001;
  expect(await passed(10)).toBe(2);
});

test('without billing nobody knows', async () => {
  start([new Error('down')]);
  await expect(throttle!.admit()).rejects.toMatchObject({ code: 'internal_error' });
});
