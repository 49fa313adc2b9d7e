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

/** Returns a writer whose store fails the given number of times; `written` resolves after the first success. */
function writerFailing(times: number) {
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
  const writer = new IdempotencyWriter({
    firstWaitMs: 1,
    store: {
      answered: (_call, { body }) => attempt(body?.length),
      free: () => attempt('free'),
      lost: () => attempt('lost'),
    },
  });
  return { writer, tried, written };
}
const reply = (bytes: number): StoredReply => ({ status: 200, headers: {}, body: Buffer.alloc(bytes) });

test('a failed write is retried', async () => {
  const { writer, tried } = writerFailing(2);
  await writer.free(log, CALL);
  expect(tried).toEqual(['free', 'free', 'free']);
});

test('the call waits only for the first retries, and the write is retried in the background', async () => {
  const { writer, tried, written } = writerFailing(5);
  await writer.lost(log, CALL);
  expect(tried).toHaveLength(3);
  await written;
  expect(tried).toEqual(Array(6).fill('lost'));
});

test.each([
  ['large', 5_000, undefined],
  ['small', 100, 100],
])('a delayed write of a response stores the body only if it is small: %s', async (_size, bytes, late) => {
  const { writer, tried, written } = writerFailing(3);
  await writer.answered(log, CALL, reply(bytes));
  await written;
  expect(tried).toEqual([bytes, bytes, bytes, late]);
});
