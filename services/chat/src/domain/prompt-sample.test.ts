import { describe, expect, test } from '@jest/globals';
import { PromptSample } from './prompt-sample';
import { CORPUS } from './token-corpus.fixture';
import { TokenCounter } from './token-count';

const CHARS = 300_000;
const repeated = (text: string) => text.repeat(Math.ceil(CHARS / text.length)).slice(0, CHARS);

const ALL = CORPUS.map(({ text }) => text);
const PROMPTS: readonly (readonly [string, readonly string[]])[] = [
  ...CORPUS.map(({ name, text }) => [name, [repeated(text)]] as const),
  ['all texts after one another', ALL.map((text) => repeated(text).slice(0, 40_000))],
  [
    'short parts of all texts in turn',
    [Array.from({ length: 600 }, (_, i) => (ALL[i % ALL.length] ?? '').slice(i, i + 600)).join('\n')],
  ],
  [
    'many short messages',
    Array.from({ length: 20_000 }, (_, i) => (ALL[i % ALL.length] ?? '').slice(i % 500, (i % 500) + 20)),
  ],
  ['base64', [Buffer.from(repeated(ALL[0] ?? '')).toString('base64')]],
];

describe.each(PROMPTS)('the estimates of %s', (_, texts) => {
  const counter = new TokenCounter(60_000);
  const sample = new PromptSample();
  for (const sum of [counter, sample]) for (const text of texts) sum.addText(text);
  const ranges = [...sample.ranges()];

  test('contain the real count', () => {
    expect(ranges.map(({ pieces }) => pieces)).toEqual([16, 32, 64, 128, 256]);
    for (const { least, most } of ranges) {
      expect(least).toBeLessThanOrEqual(counter.tokens);
      expect(most).toBeGreaterThanOrEqual(counter.tokens);
    }
  });

  test('are the same each time', () => {
    expect([...sample.ranges()]).toEqual(ranges);
  });
});

test('a short prompt has no estimates, because counting it takes no longer', () => {
  const sample = new PromptSample();
  sample.addText('word '.repeat(3_000));
  expect([...sample.ranges()]).toEqual([]);
});

test('tokens that are known are added to each estimate', () => {
  const [plain, more] = [new PromptSample(), new PromptSample()];
  for (const sample of [plain, more]) sample.addText(repeated(ALL[0] ?? ''));
  more.addTokens(1_000);
  const [first] = plain.ranges();
  const [second] = more.ranges();
  expect(second!.tokens - first!.tokens).toBe(1_000);
});
