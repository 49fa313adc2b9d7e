import { expect, test } from '@jest/globals';
import { isEmpty } from './missing-parameter';

test('counts undefined, null, an empty string and an empty list as missing', () => {
  for (const value of [undefined, null, '', []]) expect(isEmpty(value)).toBe(true);
  for (const value of [0, false, ' ', [null], {}]) expect(isEmpty(value)).toBe(false);
});
