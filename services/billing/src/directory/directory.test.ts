import { randomUUID } from 'node:crypto';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKeyValue } from '../keys/rules/key-value';
import { TestBilling, WAIT } from '../testing/test-billing';

let database: TestDatabase;
let home: TestBilling;
beforeAll(async () => {
  database = await createTestDatabase();
  home = await TestBilling.start(database.url);
}, 60_000);
afterAll(async () => {
  await home?.stop();
  await database?.drop();
}, 60_000);

const assign = (accountId: string, cell: string) =>
  callUnary(home.asDashboard, home.asDashboard.AssignCell, { accountId, cell }, WAIT);
const find = (accountId: string) =>
  callUnary(home.asDashboard, home.asDashboard.FindCell, { accountId }, WAIT);
const addKeyValue = (accountId: string, value: string) =>
  callUnary(home.asDashboard, home.asDashboard.AddKeyValue, { accountId, value }, WAIT);
const newId = () => `acct_${randomUUID()}`;

describe('an account', () => {
  test('that is not in the directory belongs to home', async () => {
    expect(await find(newId())).toEqual({ name: '' });
  });

  test('keeps the cell that it was given first', async () => {
    const id = newId();
    expect(await assign(id, 'b')).toEqual({ name: 'b' });
    expect(await assign(id, 'c')).toEqual({ name: 'b' });
    expect(await assign(id, '')).toEqual({ name: 'b' });
    expect(await find(id)).toEqual({ name: 'b' });
  });

  test('that home already has stays there', async () => {
    const { accountId } = await home.createFundedKey(0n, {});
    expect(await assign(accountId, 'b')).toEqual({ name: '' });
  });
});

describe('a key of another cell', () => {
  test('resolves to the name of the cell', async () => {
    const [id, value] = [newId(), createKeyValue()];
    await assign(id, 'b');
    await addKeyValue(id, value);
    expect(await home.resolve(value)).toMatchObject({ cell: 'b', key: null });
    await expect(addKeyValue(id, value)).resolves.toEqual({});
  });

  test('is refused for an account that is not in the directory', async () => {
    await expect(addKeyValue(newId(), createKeyValue())).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('the context of a key names the cell whose billing has it', async () => {
  const other = await createTestDatabase();
  const billing = await TestBilling.start(other.url, { CELL: 'b' });
  try {
    const { value, accountId, keyId } = await billing.createFundedKey(0n, {});
    expect((await billing.resolve(value)).key).toMatchObject({ cell: 'b' });
    const request = { accountId, keyId, valueId: '' };
    const client = billing.asDashboard;
    expect((await callUnary(client, client.GetKeyContext, request, WAIT)).key).toMatchObject({ cell: 'b' });
  } finally {
    await billing.stop();
    await other.drop();
  }
}, 60_000);
