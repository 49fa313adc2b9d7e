import { describe, expect, test } from '@jest/globals';
import { CORPUS } from './token-corpus.fixture';
import { TokenCounter } from './token-count';
import { type Encoding, TokenEstimator } from './token-estimator';

const ENCODINGS: readonly Encoding[] = ['o200k', 'claude', 'gemini', 'deepseek', 'tekken'];

function estimate(encoding: Encoding, ...texts: readonly string[]): number {
  const estimator = new TokenEstimator(encoding);
  for (const text of texts) estimator.addText(text);
  return estimator.tokens;
}

describe.each(CORPUS)('the estimate of $name', ({ text, tokens }) => {
  test.each(ENCODINGS)('by %s differs from the real count by at most a quarter', (encoding) => {
    const ratio = estimate(encoding, text) / tokens[encoding];
    expect(ratio).toBeLessThanOrEqual(1.25);
    expect(ratio).toBeGreaterThanOrEqual(0.75);
  });

  test('by o200k is an exact count if the CPU budget suffices', () => {
    const counter = new TokenCounter(10_000);
    counter.addText(text);
    expect(counter.tokens).toBe(tokens.o200k);
  });
});

test('a long text is estimated from pieces spread over it', () => {
  const [english, chinese] = ['english, prose', 'chinese, prose'].map(
    (name) => CORPUS.find((one) => one.name === name)!,
  );
  const half = 2_000_000;
  const repeated = (text: string) => text.repeat(Math.ceil(half / text.length)).slice(0, half);
  const whole = [english, chinese].map((one) => (estimate('gemini', one!.text) / one!.text.length) * half);
  const ratio =
    estimate('gemini', repeated(english!.text) + repeated(chinese!.text)) / (whole[0]! + whole[1]!);
  expect(ratio).toBeGreaterThan(0.95);
  expect(ratio).toBeLessThan(1.05);
});

test('texts beyond the scan limit are estimated at the rate of the scanned texts', () => {
  const { text } = CORPUS[0]!;
  const times = 2_000;
  const one = estimate('claude', text);
  const ratio = estimate('claude', ...Array<string>(times).fill(text)) / (one * times);
  expect(ratio).toBeGreaterThan(0.95);
  expect(ratio).toBeLessThan(1.05);
});

test('an empty text has no tokens', () => {
  expect(estimate('claude', '')).toBe(0);
});
