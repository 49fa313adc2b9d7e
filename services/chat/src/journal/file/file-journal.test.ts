import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { NO_USAGE } from '../../domain/usage';
import { call, final, price } from '../journal.fixture';
import { FileJournal } from './file-journal';
import { replayJournal } from './replay-journal';
import { segmentNumber } from './segment';

let directory: string;
const open = (segmentBytes = 64 * 1024) =>
  new FileJournal({ directory, maxBytes: 10 * segmentBytes, segmentBytes });
const segments = () => readdirSync(directory).filter((name) => segmentNumber(name) !== undefined);

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('after a kill', () => {
  test('ended calls are recovered, and interrupted calls end with their last progress', async () => {
    const journal = open();
    await journal.dispatched(call('ended'), 10);
    await journal.dispatched(call('cut'), 10);
    await journal.dispatched(call('just sent'), 10);
    journal.progress('cut', { ...NO_USAGE, input: 10, output: 3 });
    journal.progress('cut', { ...NO_USAGE, input: 10, output: 4 });
    await journal.final(final('ended'));

    const next = open();
    const { finished, interrupted } = replayJournal(next, 9);
    expect(next.owner).toEqual({ id: journal.owner.id, epoch: journal.owner.epoch + 1n });
    expect(finished).toEqual([final('ended')]);
    expect(
      interrupted.map(({ requestId, costNano, usageSource }) => [requestId, costNano, usageSource]),
    ).toEqual([
      ['cut', '26000', 'USAGE_SOURCE_RECOVERED'],
      ['just sent', '10000', 'USAGE_SOURCE_RECOVERED'],
    ]);
  });

  test('cache writes of one hour trackCall their price', async () => {
    const journal = open();
    const dear = { ...price, cache_write: 1_250_000_000n, cache_write_1h: 2_000_000_000n };
    await journal.dispatched({ ...call('cut'), price: dear }, 10);
    journal.progress('cut', { ...NO_USAGE, cache_write: 10, cache_write_1h: 20 });
    await journal.final(final('ended'));
    const [cut] = replayJournal(open(), 9).interrupted;
    expect(cut).toMatchObject({ costNano: '52500', tokens: { input: '0', cacheWrite: '30' } });
  });

  test('the rest of the hold of a call with hidden usage is an operator loss', async () => {
    const journal = open();
    const held = { holdNano: 100_000n };
    await journal.dispatched({ ...call('shown'), ...held, usageIsHidden: false }, 10);
    await journal.dispatched({ ...call('hidden'), ...held, usageIsHidden: true }, 10);
    await journal.dispatched({ ...call('no stream'), ...held, streamed: false }, 10);
    await journal.dispatched({ ...call('of an older version'), usageIsHidden: true }, 10);
    journal.progress('hidden', { ...NO_USAGE, input: 10, output: 4 });
    await journal.dispatched({ ...call('ended'), ...held }, 10);
    await journal.final(final('ended'));
    const { interrupted } = replayJournal(open(), 9);
    expect(
      interrupted.map(({ requestId, costNano, lossReason, lossNano }) => [
        requestId,
        costNano,
        lossReason,
        lossNano,
      ]),
    ).toEqual([
      ['shown', '10000', 'LOSS_REASON_UNSPECIFIED', '0'],
      ['hidden', '26000', 'LOSS_REASON_OWNER_KILLED', '74000'],
      ['no stream', '10000', 'LOSS_REASON_OWNER_KILLED', '90000'],
      ['of an older version', '10000', 'LOSS_REASON_UNSPECIFIED', '0'],
    ]);
  });

  test('an incomplete last line is ignored', async () => {
    const journal = open();
    await journal.final(final('whole'));
    const [newest] = segments().sort();
    const text = `${JSON.stringify({ t: 'final', event: final('whole') })}\n{"t":"final","event":{"requ`;
    writeFileSync(path.join(directory, newest!), text);
    expect(replayJournal(open(), 9).finished).toHaveLength(1);
  });

  test('segments are kept until every call in them is acknowledged', async () => {
    const first = open();
    await first.final(final('one'));
    await first.final(final('two'));
    const next = open();
    replayJournal(next, 9);
    const [earliest] = next.earlierSegments;
    next.acknowledge('one');
    expect(next.earlierSegments).toContain(earliest);
    next.acknowledge('two');
    expect(next.earlierSegments).toEqual([]);
  });
});

test('a full segment is followed by the next and removed when its calls are acknowledged', async () => {
  const journal = open(4 * 1024);
  const ids = Array.from({ length: 40 }, (_value, index) => `call ${index}`);
  for (const id of ids) await journal.final(final(id));
  expect(segments().length).toBeGreaterThan(4);
  for (const id of ids) journal.acknowledge(id);
  expect(segments()).toHaveLength(2);
});

test('the journal admits no calls once it is four fifths full', async () => {
  const journal = open(4 * 1024);
  expect(journal.admits).toBe(true);
  let calls = 0;
  while (journal.admits && calls < 1_000) await journal.final(final(`call ${calls++}`));
  expect(journal.admits).toBe(false);
  for (let acknowledged = 0; acknowledged < calls; acknowledged++)
    journal.acknowledge(`call ${acknowledged}`);
  expect(journal.admits).toBe(true);
});

describe('calls that stay open, as of a cell that does not take its events', () => {
  const SEGMENT_BYTES = 4 * 1024;
  /** Ends calls that billing has at once, many times what the journal has room for. */
  async function fillWithOthers(journal: FileJournal, named: string): Promise<void> {
    for (let index = 0; index < 300; index++) {
      await journal.final(final(`${named} ${index}`));
      journal.acknowledge(`${named} ${index}`);
      expect(journal.admits).toBe(true);
    }
  }

  test('keep no records of other calls, and are recovered after a kill', async () => {
    const journal = open(SEGMENT_BYTES);
    await journal.dispatched(call('cut'), 10);
    await journal.dispatched(call('ended'), 10);
    await journal.dispatched(call('ended later'), 10);
    journal.progress('cut', { ...NO_USAGE, input: 10, output: 3 });
    await journal.final(final('ended'));
    await fillWithOthers(journal, 'before');
    journal.progress('cut', { ...NO_USAGE, input: 10, output: 4 });
    await journal.final(final('ended later'));
    await fillWithOthers(journal, 'after');

    const next = open(SEGMENT_BYTES);
    const { finished, interrupted } = replayJournal(next, 9);
    const others = ({ requestId }: { requestId: string }) => !/^(before|after) /.test(requestId);
    expect(finished.filter(others)).toEqual([final('ended'), final('ended later')]);
    expect(interrupted.map(({ requestId, costNano }) => [requestId, costNano])).toEqual([['cut', '26000']]);
    for (const { requestId } of finished) next.acknowledge(requestId);

    // What is recovered stays open too.
    await fillWithOthers(next, 'next');
    const { interrupted: again } = replayJournal(open(SEGMENT_BYTES), 9);
    expect(again).toEqual(interrupted);
  });

  test('are removed when billing has them', async () => {
    const journal = open(SEGMENT_BYTES);
    const ids = Array.from({ length: 10 }, (_value, index) => `call ${index}`);
    for (const id of ids) await journal.final(final(id));
    await fillWithOthers(journal, 'other');
    expect(segments().length).toBeGreaterThan(2);
    for (const id of ids) journal.acknowledge(id);
    expect(segments()).toHaveLength(2);
  });
});

test('many concurrent final records are all durable', async () => {
  const journal = open(16 * 1024);
  const ids = Array.from({ length: 300 }, (_value, index) => `call ${index}`);
  await Promise.all(ids.map((id) => journal.final(final(id))));
  const { finished } = replayJournal(open(16 * 1024), 9);
  expect(finished.map(({ requestId }) => requestId)).toEqual(ids);
});

test('a journal closed without open calls leaves nothing to replayJournal', async () => {
  const journal = open();
  await journal.final(final('one'));
  journal.acknowledge('one');
  journal.close();
  expect(segments()).toEqual([]);
});
