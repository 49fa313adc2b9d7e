import { randomUUID } from 'node:crypto';
import { callUnary } from '@gateway/rpc';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { utcDay } from './domain/utc-day';
import { deleteCredentialCostsBefore } from './store/credential-costs';
import { type CatalogWorld, startCatalogWorld } from './testing/catalog-fixture';

jest.setTimeout(30_000);

const TIMEOUT = { timeoutMs: 5_000 };
const TODAY = utcDay(Date.now());

let world: CatalogWorld;
/** Of two instances on one database. */
let chats: ReturnType<CatalogWorld['connect']>[];
let operator: ReturnType<CatalogWorld['connect']>;

beforeAll(async () => {
  world = await startCatalogWorld();
  const instances = [await world.startCatalog(), await world.startCatalog()];
  chats = instances.map((instance) => world.connect(instance, 'chat'));
  operator = world.connect(instances[1]!, 'dashboard');
});
afterAll(async () => {
  await world?.cleanUp();
  await world?.drop();
});

/** Returns the totals by the id of the credential. */
async function sync(
  instanceId: string,
  costs: Readonly<Record<string, bigint | number>>,
  { day = TODAY, chat = chats[0]! } = {},
): Promise<Record<string, string>> {
  const given = Object.entries(costs).map(([credentialId, cost]) => ({ credentialId, costNano: `${cost}` }));
  const { totals } = await callUnary(
    chat,
    chat.SyncCredentialCosts,
    { instanceId, day, costs: given },
    TIMEOUT,
  );
  return Object.fromEntries(totals.map(({ credentialId, costNano }) => [credentialId, costNano]));
}

test('the total of a credential is the sum of what its instances have spent, whichever catalog they ask', async () => {
  const [credential, other] = [randomUUID(), randomUUID()];
  const [one, two] = [randomUUID(), randomUUID()];
  expect(await sync(one, { [credential]: 5, [other]: 7 })).toEqual({ [credential]: '5', [other]: '7' });
  expect(await sync(two, { [credential]: 10 }, { chat: chats[1]! })).toEqual({ [credential]: '15' });
  expect(await sync(one, { [credential]: 0, [other]: 0 })).toEqual({ [credential]: '15', [other]: '7' });
});

test('repeated and late reports of one instance count once, as the highest of them', async () => {
  const credential = randomUUID();
  const instance = randomUUID();
  for (const cost of [3, 9, 9, 4]) await sync(instance, { [credential]: cost });
  expect(await sync(instance, { [credential]: 0 })).toEqual({ [credential]: '9' });
});

test('a restarted instance continues the sum under another id', async () => {
  const credential = randomUUID();
  await sync(randomUUID(), { [credential]: 9 });
  const restarted = randomUUID();
  expect(await sync(restarted, { [credential]: 0 })).toEqual({ [credential]: '9' });
  expect(await sync(restarted, { [credential]: 1 })).toEqual({ [credential]: '10' });
});

test('days are counted apart; operators get the current one', async () => {
  const credential = randomUUID();
  const instance = randomUUID();
  await sync(instance, { [credential]: 5 }, { day: utcDay(Date.now(), -1) });
  expect(await sync(instance, { [credential]: 2 })).toEqual({ [credential]: '2' });
  const { day, costs } = await callUnary(operator, operator.ListCredentialCosts, {}, TIMEOUT);
  expect(day).toBe(utcDay(Date.now()));
  expect(costs).toContainEqual({ credentialId: credential, costNano: '2' });
});

test('rows of past days are deleted', async () => {
  const credential = randomUUID();
  const yesterday = utcDay(Date.now(), -1);
  await sync(randomUUID(), { [credential]: 5 }, { day: yesterday });
  await sync(randomUUID(), { [credential]: 6 });
  await deleteCredentialCostsBefore(world.openPool(), TODAY);
  const days = 'SELECT day::text, cost_nano FROM catalog.credential_costs WHERE credential_id = $1';
  expect((await world.query(days, [credential])).rows).toEqual([{ day: TODAY, cost_nano: '6' }]);
});

test.each<[string, () => Promise<unknown>, string]>([
  ['without a UUID of the instance', () => sync('chat-1', {}), 'instance_id: is not a UUID'],
  ['of a day that is long past', () => sync(randomUUID(), {}, { day: '2026-01-01' }), 'day: is neither'],
  ['of a day that is not one', () => sync(randomUUID(), {}, { day: 'today' }), 'day: is neither'],
  [
    'of a credential of the environment',
    () => sync(randomUUID(), { environment: 1 }),
    'costs: credential_id',
  ],
  ['of a negative cost', () => sync(randomUUID(), { [randomUUID()]: -1 }), 'costs: cost_nano'],
  [
    'of an absurd cost',
    () => sync(randomUUID(), { [randomUUID()]: 10n ** 16n + 1n }),
    'costs: cost_nano is not between 0 and',
  ],
  [
    'of 1,001 credentials',
    () => sync(randomUUID(), Object.fromEntries(Array.from({ length: 1_001 }, () => [randomUUID(), 1]))),
    'costs: at most 1000',
  ],
])('refuses costs %s', async (_what, report, detail) => {
  await expect(report()).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining(detail),
  });
});

test('only chat reports costs', async () => {
  const request = { instanceId: randomUUID(), day: TODAY, costs: [] };
  await expect(callUnary(operator, operator.SyncCredentialCosts, request, TIMEOUT)).rejects.toThrow();
  const [chat] = chats;
  await expect(callUnary(chat!, chat!.ListCredentialCosts, {}, TIMEOUT)).rejects.toThrow();
});
