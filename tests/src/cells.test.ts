import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '@gateway/local-stack';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { POSTGRES_TOOLS, until } from '@gateway/testing';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { expectChargedAsMetered } from './support/expect-charged';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import type { Customer, System } from './support/system';
import { startTraffic } from './support/traffic';
import { startTwoCells, type TwoCells } from './support/two-cells';

jest.setTimeout(60_000);

const WIDTH = 8;
const CALLS = 60;
const HOME = 0;
const OTHER = 1;
const log = createLogger('cells-test', 'silent');
const MESSAGES = [{ role: 'user', content: 'Hello' }];

let cells: TwoCells;
let system: System;
let pools: Pool[];
/** A customer of each cell. */
let customers: Customer[];

beforeAll(async () => {
  cells = await startTwoCells();
  system = cells.system;
  pools = cells.databaseUrls.map((url) => createPool({ url, log }));
  customers = [];
  while (!customers[HOME] || !customers[OTHER]) {
    const customer = await system.provision();
    customers[await cellOf(customer)] = customer;
  }
}, 90_000);
afterAll(async () => {
  await Promise.all((pools ?? []).map((pool) => pool.end()));
  await cells?.stop();
}, 30_000);

/** Returns the cell whose database has the account. */
async function cellOf({ id }: Customer): Promise<number> {
  const counts = await Promise.all(
    pools.map((pool) => pool.query('SELECT FROM billing.accounts WHERE id = $1', [id])),
  );
  expect(counts.map(({ rowCount }) => rowCount).sort()).toEqual([0, 1]);
  return counts.findIndex(({ rowCount }) => rowCount === 1);
}

const post = (customer: Customer, path: string, body: object): Promise<HttpAnswer> =>
  postJson(`${system.stack.apiUrl}${path}`, body, customer.apiKey);
const get = (customer: Customer, path: string): Promise<HttpAnswer> =>
  sendRequest(`${system.stack.apiUrl}${path}`, 'GET', { authorization: `Bearer ${customer.apiKey}` });

const driftOf = (index: number) => system.metric('billing', 'ledger_drift_nano', index);

test('calls of two accounts in two cells are each charged once, in the database of their cell', async () => {
  const traffic = customers.map((customer) => startTraffic(system, customer, WIDTH));
  await until(async () => (await system.meter({ limit: 1 })).calls >= CALLS, 30_000);
  const calls = await Promise.all(traffic.map((one) => one.stop()));
  expect(calls.flat().filter(({ answered }) => !answered)).toEqual([]);
  for (const [index, customer] of customers.entries()) {
    await system.settled(customer);
    await expectChargedAsMetered(system, customer, calls[index]!);
    const { rows } = await pools[index]!.query(
      `SELECT count(*)::int AS charges FROM billing.ledger WHERE kind = 'charge' AND account_id = $1`,
      [customer.id],
    );
    expect(rows).toEqual([{ charges: calls[index]!.length }]);
  }
  await until(async () => (await driftOf(HOME)) === 0 && (await driftOf(OTHER)) === 0);
});

test.each<[string, (customer: Customer) => Promise<HttpAnswer>]>([
  [
    'an image',
    (customer) => post(customer, '/v1/images/generations', { model: 'sim/image', prompt: 'A cat' }),
  ],
  [
    'a message',
    (customer) => post(customer, '/v1/messages', { model: 'sim/chat', max_tokens: 20, messages: MESSAGES }),
  ],
  [
    'a stored response',
    (customer) => post(customer, '/v1/responses', { model: 'sim/chat', input: 'Hello', store: true }),
  ],
  ['embeddings', (customer) => post(customer, '/v1/embeddings', { model: 'sim/embedding', input: 'Hello' })],
  ['the key', (customer) => get(customer, '/v1/key')],
  ['the models', (customer) => get(customer, '/v1/models')],
  ['the files', (customer) => get(customer, '/v1/files')],
])('an account of another cell gets %s', async (_what, call) => {
  const customer = customers[OTHER]!;
  const { status, text } = await call(customer);
  expect([status, text]).toEqual([200, expect.any(String)]);
  await system.settled(customer);
});

test('a response in the background of an account of another cell is run and charged there', async () => {
  const customer = customers[OTHER]!;
  const body = { model: 'sim/chat', input: 'Hello', background: true };
  const { id } = JSON.parse((await post(customer, '/v1/responses', body)).text);
  await until(
    async () => JSON.parse((await get(customer, `/v1/responses/${id}`)).text).status === 'completed',
    20_000,
  );
  await system.settled(customer);
});

test('a video of an account of another cell is made and charged there', async () => {
  const customer = customers[OTHER]!;
  const before = (await system.settled(customer)).balance;
  const order = { model: 'sim/video', prompt: 'A cat' };
  const { status, json } = await post(customer, '/v1/videos/sim/create', order);
  expect(status).toBe(200);
  const { task_id } = json;
  await until(async () => {
    const answer = await post(customer, '/v1/videos/sim/status', { task_id });
    return answer.json.status === 'completed';
  }, 30_000);
  expect((await system.settled(customer)).balance).toBeLessThan(before);
});

test('a key of another cell works in its new value at once, and is refused when it is deleted', async () => {
  const customer = customers[OTHER]!;
  const { id, key } = await system.dashboard.createKey(customer.token, 'short-lived');
  const call = async (apiKey: string) => (await get({ ...customer, apiKey }, '/v1/key')).status;
  expect(await call(key)).toBe(200);
  const rotated = await system.dashboard.call('POST', `keys/${id}/regenerate`, customer.token, {});
  expect([await call(rotated.key), await call(key)]).toEqual([200, 401]);
  await system.dashboard.call('POST', `keys/${id}/disable`, customer.token, {});
  expect(await call(rotated.key)).toBe(401);
});

(POSTGRES_TOOLS ? test : test.skip)(
  "the directory that a restore of home has lost is filled again from the cell's database",
  async () => {
    const home = pools[HOME]!;
    const accounts = async () =>
      (await home.query('SELECT * FROM billing.cell_accounts ORDER BY account_id')).rows;
    const before = await accounts();
    const customer = customers[OTHER]!;
    const { key } = await system.dashboard.createKey(customer.token, 'not used before');
    await home.query('DELETE FROM billing.cell_keys');
    await home.query('DELETE FROM billing.cell_accounts');
    const env = {
      ...process.env,
      PATH: `${POSTGRES_TOOLS}:${process.env.PATH}`,
      HOME_DATABASE_URL: cells.databaseUrls[HOME],
      CELL_DATABASE_URL: cells.databaseUrls[OTHER],
    };
    const script = join(REPOSITORY, 'deploy/postgres/restore-directory.sh');
    for (const _attempt of [1, 2]) await promisify(execFile)(script, ['b'], { env, timeout: 20_000 });
    expect(before.length).toBeGreaterThan(0);
    expect(await accounts()).toEqual(before);
    // Another value than those that edge has cached.
    expect((await get({ ...customer, apiKey: key }, '/v1/key')).status).toBe(200);
  },
);

test("an operator lists a cell's accounts, and finds a request of any cell by its id", async () => {
  const token = await system.operatorToken();
  const customer = customers[OTHER]!;
  const { headers } = await post(customer, '/v1/chat/completions', { model: 'sim/chat', messages: MESSAGES });
  await system.settled(customer);
  const request = await system.dashboard.call('GET', `admin/requests/${headers['x-request-id']}`, token);
  expect(request).toMatchObject({ account_id: customer.id, model: 'sim/chat' });
  const idsOf = async (cell: string) =>
    (await system.dashboard.call('GET', `admin/accounts?limit=100&cell=${cell}`, token)).data.map(
      ({ id }: { id: string }) => id,
    );
  expect(await idsOf('b')).toContain(customer.id);
  expect(await idsOf('home')).not.toContain(customer.id);
  expect(await system.dashboard.call('GET', 'auth/me', token)).toMatchObject({ cells: ['home', 'b'] });
  const account = `admin/accounts/${customer.id}`;
  expect(await system.dashboard.call('GET', account, token)).toMatchObject({ id: customer.id, cell: 'b' });
  expect(await system.dashboard.tryCall('GET', 'admin/accounts?cell=c', token)).toMatchObject({
    status: 400,
  });
});

test('while the billing of a cell is down, only calls of its accounts fail', async () => {
  const [home, other] = customers as [Customer, Customer];
  await system.stack.kill('billing', OTHER, 'SIGKILL');
  const traffic = startTraffic(system, home, WIDTH);
  const { status, text } = await post(other, '/v1/chat/completions', {
    model: 'sim/chat',
    messages: MESSAGES,
  });
  expect([status, JSON.parse(text).error.code]).toEqual([500, 'internal_error']);
  const calls = await traffic.stop();
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter(({ answered }) => !answered)).toEqual([]);
  await system.stack.restart('billing', OTHER);
  await until(async () => (await get(other, '/v1/key')).status === 200, 20_000);
  for (const customer of customers) await system.settled(customer, 20_000);
  await until(async () => (await driftOf(HOME)) === 0 && (await driftOf(OTHER)) === 0);
});
