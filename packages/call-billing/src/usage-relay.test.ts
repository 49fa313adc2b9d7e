import type { Logger } from '@gateway/process';
import { expect, test } from '@jest/globals';
import { releasedEvent, type UsageEvent } from './usage-event';
import { UsageRelay } from './usage-relay';

const log = { warn: () => {} } as unknown as Logger;
const event = (requestId: string) =>
  releasedEvent({ requestId, accountId: 'a', keyId: 'k', model: 'sim/chat' }, {});
const ids = (events: readonly UsageEvent[]) => events.map(({ requestId }) => requestId);

function relayTo(deliver: (events: readonly UsageEvent[]) => Promise<void>) {
  const delivered: string[] = [];
  const relay = new UsageRelay({
    log,
    delivery: { deliver, close: async () => {} },
    onDelivered: ({ requestId }) => delivered.push(requestId),
  });
  return { relay, delivered };
}

test('events of calls that end together are delivered in one batch, in order', async () => {
  const batches: string[][] = [];
  const { relay, delivered } = relayTo(async (events) => void batches.push(ids(events)));
  for (const id of ['1', '2', '3']) relay.add(event(id));
  await relay.close(5_000);
  expect(batches).toEqual([['1', '2', '3']]);
  expect(delivered).toEqual(['1', '2', '3']);
});

test('a failed batch is resent before any later event', async () => {
  const tried: string[][] = [];
  const { relay, delivered } = relayTo(async (events) => {
    tried.push(ids(events));
    if (tried.length < 3) throw new Error('not yet');
  });
  relay.add(event('1'));
  await new Promise<void>((resolve) => {
    const poll = setInterval(() => {
      if (tried.length === 0) return;
      clearInterval(poll);
      resolve();
    }, 1);
  });
  relay.add(event('2'));
  await relay.close(5_000);
  expect(delivered).toEqual(['1', '2']);
  expect(tried[0]).toEqual(['1']);
});

test('calls are refused once deliveries have failed for 15 minutes', async () => {
  const { relay } = relayTo(async () => {
    throw new Error('down');
  });
  relay.add(event('1'));
  expect(relay.admits(Date.now())).toBe(true);
  await relay.close(300);
  expect(relay.admits(Date.now() + 14 * 60_000)).toBe(true);
  expect(relay.admits(Date.now() + 16 * 60_000)).toBe(false);
});
