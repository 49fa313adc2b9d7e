import { type CellBilling, Cells } from '@gateway/call-billing';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import { expect, test } from '@jest/globals';
import { keyResolver } from './billing-keys';

const MAX_LOOKUPS = 1_000;

type Answer = (response: object) => void;

/** Billing of a cell that answers lookups of keys with `onResolve`. */
function cellBilling(name: string, onResolve: (key: string, answer: Answer) => void): CellBilling {
  const client = {
    getChannel: () => ({ getConnectivityState: () => 2 }),
    ResolveKey(
      { key }: { key: string },
      _metadata: object,
      _options: object,
      callback: (error: null, response: object) => void,
    ) {
      setImmediate(() => onResolve(key, (response) => callback(null, response)));
      return { cancel: () => {} };
    },
  };
  return { name, client: client as unknown as BillingServiceClient } as CellBilling;
}

const found = (cell: string) => ({ cell: '', key: { keyId: 'k', cell }, validUntilMs: '0' });

test('a cell that does not answer uses up its own lookups only', async () => {
  const waiting: Answer[] = [];
  const home = cellBilling('', (key, answer) => {
    const cell = key.split(' ')[0]!;
    answer(cell === 'home' ? found('') : { cell });
  });
  const away = cellBilling('b', (_key, answer) => waiting.push(answer));
  const other = cellBilling('c', (_key, answer) => answer(found('c')));
  const others = new Map([away, other].map((cell) => [cell.name, cell]));
  const resolve = keyResolver(new Cells(home, others));

  const blocked = Array.from({ length: MAX_LOOKUPS }, (_, index) => resolve(`b ${index}`));
  while (waiting.length < MAX_LOOKUPS) await new Promise(setImmediate);
  const refusal = { code: 'rate_limited', retryAfterSeconds: 1 };
  await expect(resolve('b one more')).rejects.toMatchObject(refusal);
  expect((await resolve('home')).context.cell).toBe('');
  expect((await resolve('c')).context.cell).toBe('c');

  for (const answer of waiting.splice(0)) answer(found('b'));
  expect((await Promise.all(blocked)).every(({ context }) => context.cell === 'b')).toBe(true);
  const again = resolve('b again');
  while (waiting.length === 0) await new Promise(setImmediate);
  waiting[0]!(found('b'));
  expect((await again).context.cell).toBe('b');
});
