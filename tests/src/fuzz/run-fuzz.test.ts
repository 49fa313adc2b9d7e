import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mutatedText } from './mutate';
import { runFuzz } from './run-fuzz';

const TEXTS = ['an innocent text', 'x'.repeat(100_000)];

async function failureOf(check: (bytes: Buffer) => Promise<void>): Promise<string> {
  return runFuzz(mutatedText(TEXTS), 400, check).then(
    () => 'none',
    ({ message }: Error) => message,
  );
}

async function expectNoBraces(bytes: Buffer): Promise<void> {
  if (bytes.includes('{')) throw new Error('a brace');
}

test('a failure shows its error, the minimized failing case and the seed', async () => {
  const [wrong, where, shown] = (await failureOf(expectNoBraces)).split('\n');
  expect(wrong).toBe('a brace');
  expect(where).toMatch(/^case \d+ of 400, FC_SEED=\d+; the smallest failing case is$/);
  expect(shown).toMatch(/^text 0: "\{" at 0 in place of 0 bytes/);
});

test('a case that fails only concurrently with others is shown unchanged', async () => {
  let calls = 0;
  const failure = await failureOf(async () => {
    if (++calls === 20) throw new Error('busy');
  });
  expect(failure).toMatch(
    /^busy\ncase 19 of 400, FC_SEED=\d+; the case, which passes when it runs alone, is\ntext [01]: "/,
  );
});

test('a long failure message is truncated', async () => {
  const failure = await failureOf(async (bytes) => {
    throw new Error(`${bytes.toString('hex')}${'y'.repeat(10_000)}`);
  });
  expect(failure.length).toBeLessThan(7_000);
});

test('the same seed gives the same cases', async () => {
  const configured = fc.readConfigureGlobal();
  fc.configureGlobal({ ...configured, seed: 1 });
  const seen = async () => {
    const values: number[] = [];
    await runFuzz(fc.nat(), 50, async (value) => void values.push(value));
    return values;
  };
  expect(await seen()).toEqual(await seen());
  fc.configureGlobal(configured);
});
