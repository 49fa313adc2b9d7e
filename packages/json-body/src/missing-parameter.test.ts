import { expect, test } from '@jest/globals';
import { isEmpty } from './missing-parameter';

test('null, an empty text and an empty list count as missing', () => {
  for (const value of [undefined, null, '', []]) expect(isEmpty(value)).toBe(true);
  for (const value of [0, false, ' ', [null], {}]) expect(isEmpty(value)).toBe(false);
});
