import type { Logger } from '@gateway/process';
import { describe, expect, test } from '@jest/globals';
import { releasedEvent, type UsageEvent } from './usage-event';
import { UsageOutbox, WaitingEvents } from './usage-outbox';

const log = { warn: () => {} } as unknown as Logger;
const event = (requestId: string) =>
  releasedEvent({ requestId, accountId: 'a', keyId: 'k', model: 'sim/chat' }, {});
const ids = (events: readonly UsageEvent[]) => events.map(({ requestId }) => requestId);

function outboxTo(deliver: (events: readonly UsageEvent[]) => Promise<void>, waiting = new WaitingEvents()) {
  const delivered: string[] = [];
  const outbox = new UsageOutbox({
    log,
    waiting,
    delivery: { deliver, close: async () => {} },
    onDelivered: ({ requestId }) => delivered.push(requestId),
  });
  return { outbox, delivered };
}

test('delivers the events of calls that end together in one batch, in order', async () => {
  const batches: string[][] = [];
  const { outbox, delivered } = outboxTo(async (events) => void batches.push(ids(events)));
  for (const id of ['1', '2', '3']) outbox.add(event(id));
  await outbox.close(5_000);
  expect(batches).toEqual([['1', '2', '3']]);
  expect(delivered).toEqual(['1', '2', '3']);
});

test('resends a failed batch before any later event', async () => {
  const tried: string[][] = [];
  const { outbox, delivered } = outboxTo(async (events) => {
    tried.push(ids(events));
    if (tried.length < 3) throw new Error('not yet');
  });
  outbox.add(event('1'));
  await new Promise<void>((resolve) => {
    const poll = setInterval(() => {
      if (tried.length === 0) return;
      clearInterval(poll);
      resolve();
    }, 1);
  });
  outbox.add(event('2'));
  await outbox.close(5_000);
  expect(delivered).toEqual(['1', '2']);
  expect(tried[0]).toEqual(['1']);
});

test('admits no calls once deliveries have failed for 15 minutes', async () => {
  const { outbox } = outboxTo(async () => {
    throw new Error('down');
  });
  outbox.add(event('1'));
  expect(outbox.admits(Date.now())).toBe(true);
  await outbox.close(300);
  expect(outbox.admits(Date.now() + 14 * 60_000)).toBe(true);
  expect(outbox.admits(Date.now() + 16 * 60_000)).toBe(false);
});

describe('of several cells that do not take their events', () => {
  /** Returns an outbox of a cell that never answers, and how many events it takes until it admits no more calls. */
  function awayOutbox(waiting: WaitingEvents) {
    const { outbox } = outboxTo(() => new Promise(() => {}), waiting);
    const add = (count: number) => {
      for (let i = 0; i < count; i++) outbox.add(event('1'));
    };
    const fill = () => {
      let added = 0;
      for (; outbox.admits(Date.now()); added++) outbox.add(event('1'));
      return added;
    };
    return { outbox, add, fill };
  }

  test('one admits as many calls as it leaves to the others', () => {
    const waiting = new WaitingEvents();
    const [first, second, third] = [awayOutbox(waiting), awayOutbox(waiting), awayOutbox(waiting)];
    expect([first.fill(), second.fill(), third.fill()]).toEqual([100_001, 50_000, 25_000]);
  });

  test('none has calls refused of a cell in which few events wait', () => {
    const waiting = new WaitingEvents();
    awayOutbox(waiting).add(250_000);
    expect(awayOutbox(waiting).fill()).toBe(1_001);
  });
});

test('admits calls again when its events are delivered', async () => {
  const waiting = new WaitingEvents();
  const { outbox } = outboxTo(async () => {}, waiting);
  for (let i = 0; i < 100_001; i++) outbox.add(event('1'));
  expect(outbox.admits(Date.now())).toBe(false);
  await outbox.close(5_000);
  expect(outbox.admits(Date.now())).toBe(true);
  expect([waiting.admits(200_000), waiting.admits(200_001)]).toEqual([true, false]);
});
