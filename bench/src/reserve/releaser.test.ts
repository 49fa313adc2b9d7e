import { expect, test } from '@jest/globals';
import { Releaser } from './releaser';

const call = (requestId: string) => ({ requestId, accountId: 'acct', keyId: 'key', model: 'm' });

test('releases holds in batches, and resolves each release when its batch is durable', async () => {
  const batches: (string | undefined)[][] = [];
  const releaser = new Releaser(async (events) => {
    batches.push(events.map(({ requestId }) => requestId));
  });
  await Promise.all(['a', 'b'].map((id) => releaser.release(call(id))));
  await releaser.release(call('c'));
  expect(batches).toEqual([['a', 'b'], ['c']]);
});

test('rejects the releases of a failed batch and delivers the next batch', async () => {
  let deliveries = 0;
  const releaser = new Releaser(async () => {
    if (deliveries++ === 0) throw new Error('down');
  });
  await expect(releaser.release(call('a'))).rejects.toThrow('down');
  await releaser.release(call('b'));
  expect(deliveries).toBe(2);
});
