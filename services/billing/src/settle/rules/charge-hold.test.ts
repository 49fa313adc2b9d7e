import { expect, test } from '@jest/globals';
import { expireHold, type Hold, settleExpiredHold, settleOpenHold } from './charge-hold';
import { parseUsageEvent } from './usage-event';

const hold: Hold = {
  requestId: '01938f2e-7b5a-7c4d-8e6f-0123456789ab',
  accountId: 'a',
  keyId: 'k',
  state: 'open',
  amountNano: 100n,
  day: '2026-11-20',
};
const event = (costNano: number, outcome = 'SETTLED', more = {}) =>
  parseUsageEvent({ requestId: hold.requestId, costNano, outcome: `USAGE_OUTCOME_${outcome}`, ...more });
const losing = (reason: string, lossNano: number) => ({ lossReason: `LOSS_REASON_${reason}`, lossNano });

test.each([
  ['a cost below the hold', event(40), 'settled', 40n, 0n],
  ['the cost of the whole hold', event(100), 'settled', 100n, 0n],
  ['a cost above the hold', event(130), 'settled', 100n, 30n],
  ['no cost', event(0), 'settled', 0n, 0n],
  ['a release, whatever its cost', event(40, 'RELEASED'), 'released', 0n, 0n],
  ['a lost outcome, whatever its cost', event(40, 'LOST'), 'lost', 0n, 100n],
])('an open hold settled with %s', (_, end, state, chargedNano, lossNano) => {
  expect(settleOpenHold(hold, end)).toMatchObject({ state, chargedNano, lossNano, freedNano: 100n });
});

test.each([
  ['the rest of the hold', event(40, 'SETTLED', losing('USAGE_UNKNOWN', 60)), 40n, 60n, 'usage_unknown'],
  [
    'at most the rest of the hold',
    event(40, 'SETTLED', losing('OWNER_KILLED', 999)),
    40n,
    60n,
    'owner_killed',
  ],
  ['the cost of an abandoned call', event(0, 'RELEASED', losing('ABANDONED', 7)), 0n, 7n, 'abandoned'],
  [
    'only the excess where the cost is above the hold',
    event(130, 'SETTLED', losing('USAGE_UNKNOWN', 9)),
    100n,
    30n,
    'over_hold',
  ],
])('a usage event with a loss books %s', (_, end, chargedNano, lossNano, lossReason) => {
  expect(settleOpenHold(hold, end)).toMatchObject({ chargedNano, lossNano, lossReason, freedNano: 100n });
  // The loss of 100 that was booked on expiry is corrected to the same sum.
  expect(settleExpiredHold(hold, end, 1_000n)).toMatchObject({ chargedNano, lossNano: lossNano - 100n });
});

test.each([
  ['all used tokens if tokens were reserved', 10n, 12n],
  ['none if none were reserved, whatever the provider reports', 0n, 0n],
  ['all used tokens if the key had no limit', undefined, 12n],
])('tokens of a settled call for the rate window: %s', (_, tokens, used) => {
  const reported = { tokens: { input: 7, output: 5 }, outcome: 'USAGE_OUTCOME_SETTLED' };
  const end = parseUsageEvent({ requestId: hold.requestId, costNano: 40, ...reported });
  const rates = tokens === undefined ? {} : { rates: { keyId: 'k', generation: 1n, bucket: 1, tokens } };
  expect(settleOpenHold({ ...hold, ...rates }, end).usedTokens).toBe(used);
});

test('an expired hold charges nothing and books its whole amount as a loss', () => {
  expect(expireHold(hold)).toMatchObject({
    state: 'expired',
    chargedNano: 0n,
    lossNano: 100n,
    freedNano: 100n,
  });
});

// The loss of 100 booked on expiry and this correction add up to what was not charged.
test.each([
  ['all funds available', event(40), 1_000n, 40n, -100n],
  ['some funds available', event(40), 15n, 15n, -75n],
  ['no funds available', event(40), 0n, 0n, -60n],
  ['negative funds available', event(40), -7n, 0n, -60n],
  ['cost above the hold', event(130), 1_000n, 100n, -70n],
  ['released call', event(0, 'RELEASED'), 1_000n, 0n, -100n],
  ['lost call', event(0, 'LOST'), 1_000n, 0n, 0n],
])(
  'a usage event after expiry charges at most the available funds: %s',
  (_, end, freeNano, chargedNano, lossNano) => {
    expect(settleExpiredHold(hold, end, freeNano)).toMatchObject({ chargedNano, lossNano, freedNano: 0n });
  },
);
