import { expect, test } from '@jest/globals';
import { priceForCall } from './price-for-call';

test('refuses cache writes that last an hour if the model has no price for them', () => {
  const price = { input: 1n, output: 2n, cache_write: 3n };
  expect(() => priceForCall(price, { longCache: true })).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  );
  expect(priceForCall(price, {})).toEqual(price);
  const dear = { ...price, cache_write_1h: 4n };
  expect(priceForCall(dear, { longCache: true })).toEqual(dear);
});
