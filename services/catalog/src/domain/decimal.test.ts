import { describe, expect, test } from '@jest/globals';
import { nanoFromDecimal } from './decimal';

describe('nanoFromDecimal', () => {
  test.each([
    ['0', 0n],
    ['1', 1_000_000_000n],
    ['0.075', 75_000_000n],
    ['0.0028', 2_800_000n],
    ['0.000000001', 1n],
    ['999999999.999999999', 999_999_999_999_999_999n],
  ])('converts %s USD to nano-USD', (usd, nano) => expect(nanoFromDecimal(usd)).toBe(nano));

  test.each(['', '1.', '.5', '-1', '+1', '01', '1e3', '1,5', '0.0000000001', '1000000000', ' 1', '1\n'])(
    'rejects the invalid decimal %p',
    (usd) => expect(nanoFromDecimal(usd)).toBeUndefined(),
  );
});
