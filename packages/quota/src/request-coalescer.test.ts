import { beforeEach, describe, expect, test } from '@jest/globals';
import { RequestCoalescer } from './request-coalescer';

const GAP_MS = 100;

let nowMs: number;
let waited: number[];
let coalescer: RequestCoalescer<number>;
let currentValue: number;
let sent: number;

/** Returns the current value; rejects if it is negative. */
const send = async () => {
  sent++;
  const answer = currentValue;
  await Promise.resolve();
  if (answer < 0) throw new Error('no');
  return answer;
};
const ask = (id = 'a') => coalescer.request(id, send);

beforeEach(() => {
  nowMs = 1_000;
  waited = [];
  currentValue = 1;
  sent = 0;
  coalescer = new RequestCoalescer({
    gapMs: GAP_MS,
    maxIds: 2,
    now: () => nowMs,
    wait: async (ms) => {
      waited.push(ms);
      nowMs += ms;
    },
  });
});

describe('an answer of the coalescer', () => {
  test('is never older than the call of the caller that receives it', async () => {
    const early = ask();
    currentValue = 2;
    const late = ask();
    expect([await early, await late]).toEqual([1, 2]);
    currentValue = 3;
    expect(await ask()).toBe(3);
  });

  test('is shared by all callers that arrived before its request was sent', async () => {
    const answers = [ask(), ...Array.from({ length: 20 }, () => ask())];
    expect(await Promise.all(answers)).toEqual(Array(21).fill(1));
    expect(sent).toBe(2);
    expect(waited).toEqual([GAP_MS]);
  });

  test('that is an error is shared likewise and reaches no later caller', async () => {
    currentValue = -1;
    const answers = [ask(), ask(), ask()].map((answer) => answer.catch((error) => error.message));
    expect(await Promise.all(answers)).toEqual(['no', 'no', 'no']);
    currentValue = 1;
    expect(await ask()).toBe(1);
  });
});

describe('the next request of a coalescer', () => {
  test('waits for the rest of the minimum gap', async () => {
    await ask();
    nowMs += 30;
    await ask();
    nowMs += GAP_MS;
    await ask();
    expect(waited).toEqual([70]);
  });

  test('does not wait longer than the gap when the clock was set back', async () => {
    await ask();
    nowMs -= 3_600_000;
    await ask();
    expect(waited).toEqual([GAP_MS]);
  });

  test('does not wait for another id, a forgotten id or an evicted id', async () => {
    for (const id of ['a', 'b']) await ask(id);
    coalescer.forget('a');
    await ask('a');
    await ask('c');
    await ask('b');
    coalescer.clear();
    await ask('c');
    expect(waited).toEqual([]);
    await ask('c');
    expect(waited).toEqual([GAP_MS]);
  });
});
