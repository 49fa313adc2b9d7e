import { beforeEach, describe, expect, test } from '@jest/globals';
import { FreshQuestions } from './fresh-questions';

const GAP_MS = 100;

let nowMs: number;
let waited: number[];
let questions: FreshQuestions<number>;
let truth: number;
let sent: number;

/** Reads the truth when it is sent; a failure when that is negative. */
const question = async () => {
  sent++;
  const answer = truth;
  await Promise.resolve();
  if (answer < 0) throw new Error('no');
  return answer;
};
const ask = (subject = 'a') => questions.ask(subject, question);

beforeEach(() => {
  nowMs = 1_000;
  waited = [];
  truth = 1;
  sent = 0;
  questions = new FreshQuestions({
    gapMs: GAP_MS,
    maxSubjects: 2,
    now: () => nowMs,
    wait: async (ms) => {
      waited.push(ms);
      nowMs += ms;
    },
  });
});

describe('an answer', () => {
  test('is never older than whoever asked for it', async () => {
    const early = ask();
    truth = 2;
    const late = ask();
    expect([await early, await late]).toEqual([1, 2]);
    truth = 3;
    expect(await ask()).toBe(3);
  });

  test('is shared by all who came before its question was sent', async () => {
    const answers = [ask(), ...Array.from({ length: 20 }, () => ask())];
    expect(await Promise.all(answers)).toEqual(Array(21).fill(1));
    expect(sent).toBe(2);
    expect(waited).toEqual([GAP_MS]);
  });

  test('that fails fails for all of them, and for nobody after them', async () => {
    truth = -1;
    const answers = [ask(), ask(), ask()].map((answer) => answer.catch((error) => error.message));
    expect(await Promise.all(answers)).toEqual(['no', 'no', 'no']);
    truth = 1;
    expect(await ask()).toBe(1);
  });
});

describe('the next question', () => {
  test('waits for what is left of the gap', async () => {
    await ask();
    nowMs += 30;
    await ask();
    nowMs += GAP_MS;
    await ask();
    expect(waited).toEqual([70]);
  });

  test('does not wait longer when the clock was set back', async () => {
    await ask();
    nowMs -= 3_600_000;
    await ask();
    expect(waited).toEqual([GAP_MS]);
  });

  test('does not wait for another subject, for one forgotten, or for the oldest of too many', async () => {
    for (const subject of ['a', 'b']) await ask(subject);
    questions.forget('a');
    await ask('a');
    await ask('c');
    await ask('b');
    questions.clear();
    await ask('c');
    expect(waited).toEqual([]);
    await ask('c');
    expect(waited).toEqual([GAP_MS]);
  });
});
