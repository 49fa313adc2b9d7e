import { expect, test } from '@jest/globals';
import { UploadSpace } from './upload-space';

const busy = (room: string, takenBy: string) =>
  expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1, room, takenBy });

/** Accounts named `poor…` have nothing. */
const spaceOf = (maxBytes: number, maxFormBytes = 1) =>
  new UploadSpace({ maxBytes, maxFormBytes, hasFunds: async (accountId) => !accountId.startsWith('poor') });

test('however many accounts without money there are, those with some find room', async () => {
  const space = spaceOf(1_600);
  const poor = await Promise.all(Array.from({ length: 40 }, (_, at) => space.shareOf(`poor-${at}`)));
  for (const share of poor.slice(0, 4)) share.take(50);
  expect(() => poor[0]!.take(1)).toThrow(busy('unpaid_uploads', 'account'));
  for (const share of poor.slice(4)) expect(() => share.take(1)).toThrow(busy('unpaid_uploads', 'all'));
  expect(space.usedBytes).toBe(200);
  const rich = await space.shareOf('rich');
  rich.take(400);
  expect(() => rich.take(1)).toThrow(busy('uploads', 'account'));
  for (const share of poor.slice(0, 4)) share.give(50);
  rich.give(400);
  expect(space.usedBytes).toBe(0);
  poor[39]!.take(50);
});

test('what those with money take is room for nobody else', async () => {
  const space = spaceOf(1_600);
  for (const account of ['a', 'b', 'c']) (await space.shareOf(account)).take(400);
  (await space.shareOf('d')).take(390);
  const poor = await space.shareOf('poor');
  expect(() => poor.take(11)).toThrow(busy('uploads', 'all'));
  // What was refused takes nothing.
  for (let times = 0; times < 30; times++) expect(() => poor.take(11)).toThrow(busy('uploads', 'all'));
  poor.take(10);
});

test('a whole form of an account without money fits where the space is small', async () => {
  const space = spaceOf(800, 150);
  const poor = await space.shareOf('poor-1');
  poor.take(150);
  const other = await space.shareOf('poor-2');
  expect(() => other.take(1)).toThrow(busy('unpaid_uploads', 'all'));
});

test('whoever pays meanwhile has room for the next form at once', async () => {
  let hasFunds = false;
  const space = new UploadSpace({ maxBytes: 1_600, maxFormBytes: 1, hasFunds: async () => hasFunds });
  const before = await space.shareOf('one');
  before.take(50);
  hasFunds = true;
  const after = await space.shareOf('one');
  after.take(300);
  expect(() => before.take(1)).toThrow(busy('unpaid_uploads', 'account'));
  before.give(50);
  after.take(100);
});
