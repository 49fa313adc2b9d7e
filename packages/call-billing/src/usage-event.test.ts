import { expect, test } from '@jest/globals';
import { releasedEvent } from './usage-event';

const CALL = { requestId: 'r', accountId: 'a', keyId: 'k', model: 'm' };
const MAX_UINT32 = 2 ** 32 - 1;

test.each([
  ['set back an hour', -3_600_000, 0],
  ['set a year ahead', 365 * 86_400_000, MAX_UINT32],
  ['not adjusted', 12.4, 12],
])(
  'clamps the durations of a call during which the clock was %s to values that billing accepts',
  (_change, ms, clampedMs) => {
    const event = releasedEvent({ ...CALL, admittedMs: ms }, { firstByteMs: ms });
    expect(event).toMatchObject({ admittedMs: clampedMs, firstByteMs: clampedMs });
  },
);
