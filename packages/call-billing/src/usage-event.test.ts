import { expect, test } from '@jest/globals';
import { releasedEvent } from './usage-event';

const CALL = { requestId: 'r', accountId: 'a', keyId: 'k', model: 'm' };
const MAX_UINT32 = 2 ** 32 - 1;

test.each([
  ['set back an hour', -3_600_000, 0],
  ['set a year ahead', 365 * 86_400_000, MAX_UINT32],
  ['left alone', 12.4, 12],
])('a clock that was %s while a call went on leaves its end as billing takes it', (_what, ms, told) => {
  const event = releasedEvent({ ...CALL, admittedMs: ms }, { firstByteMs: ms });
  expect(event).toMatchObject({ admittedMs: told, firstByteMs: told });
});
