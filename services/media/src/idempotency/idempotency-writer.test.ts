import { createLogger } from '@gateway/process';
import { expect, test } from '@jest/globals';
import { IdempotencyWriter } from './idempotency-writer';
import type { ClaimedCall, StoredReply } from './rules/idempotency';

const CALL: ClaimedCall = {
  accountId: 'a',
  operation: 'images',
  key: 'k',
  fingerprint: 'f',
  requestId: 'r',
};
const log = createLogger('test', 'silent');

/** A store that fails so many times; `written` resolves with what goes in at last. */
function notesThatFail(times: number) {
  const tried: (string | number | undefined)[] = [];
  let write!: () => void;
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const attempt = async (what: string | number | undefined) => {
    tried.push(what);
    if (tried.length <= times) throw new Error('away');
    write();
  };
  const notes = new IdempotencyWriter({
    firstWaitMs: 1,
    store: {
      answered: (_call, { body }) => attempt(body?.length),
      free: () => attempt('free'),
      lost: () => attempt('lost'),
    },
  });
  return { notes, tried, written };
}
const reply = (bytes: number): StoredReply => ({ status: 200, headers: {}, body: Buffer.alloc(bytes) });

test('a note that does not go in is tried again', async () => {
  const { notes, tried } = notesThatFail(2);
  await notes.free(log, CALL);
  expect(tried).toEqual(['free', 'free', 'free']);
});

test('its call does not wait for long, and the note is written later', async () => {
  const { notes, tried, written } = notesThatFail(5);
  await notes.lost(log, CALL);
  expect(tried).toHaveLength(3);
  await written;
  expect(tried).toEqual(Array(6).fill('lost'));
});

test.each([
  ['large', 5_000, undefined],
  ['small', 100, 100],
])('a late answer whose body is %s', async (_size, bytes, late) => {
  const { notes, tried, written } = notesThatFail(3);
  await notes.answered(log, CALL, reply(bytes));
  await written;
  expect(tried).toEqual([bytes, bytes, bytes, late]);
});
