import { expect, test } from '@jest/globals';
import { ERROR_TABLE } from '../../../../../packages/errors/src/error-table';
import { adviceOn, LOGGED_CODES } from './error-advice';

test('lists as logged the codes that calls with a valid key can return', () => {
  const logged = Object.entries(ERROR_TABLE).filter(([, { status }]) => status !== 401);
  expect(LOGGED_CODES.toSorted()).toEqual(logged.map(([code]) => code).toSorted());
});

test('has general advice for an unknown code', () => {
  expect(adviceOn('not_yet_known').todo).toContain('request ID');
});
