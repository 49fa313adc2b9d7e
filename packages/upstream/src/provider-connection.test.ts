import { expect, test } from '@jest/globals';
import { timeoutsOfProvider, timeoutsOfTarget } from './provider-connection';
import { targetOf } from './route.fixture';

const USUAL = { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 };

test('the timeouts of a provider replace the usual ones, and those of a target replace both', () => {
  const connection = { connectMs: 10, idleMs: 30 };
  expect(timeoutsOfProvider(USUAL, connection)).toEqual({ ...USUAL, connectMs: 10, idleMs: 30 });
  const target = targetOf('p', { connectTimeoutMs: 100, firstByteTimeoutMs: 200 });
  expect(timeoutsOfTarget(target, connection, USUAL)).toEqual({
    connectMs: 100,
    firstByteMs: 200,
    idleMs: 30,
    totalMs: 4,
  });
});

test('a provider without timeouts of its own has the usual ones', () => {
  expect(timeoutsOfProvider(USUAL)).toEqual(USUAL);
  expect(timeoutsOfTarget(targetOf('p'), { proxy: 'http://proxy.test' }, USUAL)).toEqual(USUAL);
});
