import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { type Dashboard, startDashboard, startWorld, type World } from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

type User = Awaited<ReturnType<Dashboard['register']>>;

async function asService<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: world.database.url });
  await client.connect();
  return (await client.query<T>(sql, values).finally(() => client.end())).rows;
}

const entriesOf = async ({ token }: User) => (await dashboard.get('audit', token)).body.data;

describe('the role of the service', () => {
  test.each([
    'DELETE FROM dashboard.audit_entries',
    `UPDATE dashboard.audit_entries SET actor_email = 'someone@example.com'`,
    'TRUNCATE dashboard.audit_entries CASCADE',
    'DELETE FROM dashboard.audit_outcomes',
    `UPDATE dashboard.audit_outcomes SET outcome = 'refused'`,
    'TRUNCATE dashboard.audit_outcomes',
    'DELETE FROM dashboard.audit',
    `UPDATE dashboard.audit SET actor_email = 'someone@example.com'`,
  ])('may not execute %s', async (sql) => {
    const owner = await dashboard.register();
    await dashboard.post('keys', { name: 'a key' }, owner.token);
    const before = await entriesOf(owner);
    await expect(asService(sql)).rejects.toMatchObject({ code: '42501' });
    expect(await entriesOf(owner)).toEqual(before);
  });
});

test('an outcome that is added to an event later changes nothing that is read', async () => {
  const owner = await dashboard.register();
  const seq = (
    await asService<{ seq: string }>(
      `INSERT INTO dashboard.audit_entries
         (account_id, actor_id, actor_email, by_operator, action, request_id, address, done, subject)
       VALUES ($1, 'user_1', 'someone@example.com', false, 'login.succeeded', 'request', '127.0.0.1', true, 'a')
       RETURNING seq::text`,
      [owner.account.id],
    )
  )[0]!.seq;
  const before = await entriesOf(owner);
  expect(before).toMatchObject([{ outcome: 'done', subject: 'a', error_code: null }]);
  await asService(
    `INSERT INTO dashboard.audit_outcomes (seq, outcome, error_code, subject) VALUES ($1, 'refused', 'x', 'b')`,
    [seq],
  );
  expect(await entriesOf(owner)).toEqual(before);
});

// Both versions run during an upgrade; these are the statements of the version before.
describe('the version before', () => {
  async function insert(owner: User, accountId: string | null = owner.account.id): Promise<string> {
    const [row] = await asService<{ seq: string }>(
      `INSERT INTO dashboard.audit
         (account_id, actor_id, actor_email, by_operator, action, changes, request_id, address, done, subject)
       VALUES ($1, 'user_1', 'old@example.com', false, 'keys', '{"name":"a"}', 'request', '127.0.0.1', false, NULL)
       RETURNING seq::text`,
      [accountId],
    );
    return row!.seq;
  }
  const complete = (seq: string, accountId: string | null) =>
    asService(
      'UPDATE dashboard.audit SET done = true, account_id = coalesce($2, account_id), subject = $3 WHERE seq = $1',
      [seq, accountId, 'key_1'],
    );
  const list = (owner: User) =>
    asService('SELECT * FROM dashboard.audit WHERE seq < $1 AND account_id = $3 ORDER BY seq DESC LIMIT $2', [
      '9223372036854775807',
      10,
      owner.account.id,
    ]);

  test('completes its entries, once', async () => {
    const owner = await dashboard.register();
    const seq = await insert(owner);
    expect(await list(owner)).toMatchObject([{ seq, done: false, subject: null, address: '127.0.0.1' }]);
    await complete(seq, null);
    expect(await list(owner)).toMatchObject([{ seq, done: true, subject: 'key_1', changes: '{"name":"a"}' }]);
    expect(await entriesOf(owner)).toMatchObject([
      { outcome: 'done', subject: 'key_1', actor: { email: 'old@example.com' } },
    ]);
    await expect(complete(seq, null)).rejects.toMatchObject({ code: '42501' });
  });

  test('adds the account that a change created', async () => {
    const owner = await dashboard.register();
    const seq = await insert(owner, null);
    expect(await list(owner)).toEqual([]);
    await complete(seq, owner.account.id);
    expect(await list(owner)).toMatchObject([{ seq, account_id: owner.account.id }]);
    expect(await entriesOf(owner)).toMatchObject([{ outcome: 'done', subject: 'key_1' }]);
  });

  test('deletes no entry of a refused change, and does not see it', async () => {
    const owner = await dashboard.register();
    const seq = await insert(owner);
    await asService('DELETE FROM dashboard.audit WHERE seq = $1', [seq]);
    expect(await list(owner)).toEqual([]);
    expect(await entriesOf(owner)).toMatchObject([{ outcome: 'refused', error_code: null }]);
  });

  test('reads the entries of this version', async () => {
    const owner = await dashboard.register();
    await dashboard.post('keys', { name: 'a key' }, owner.token);
    await dashboard.post('keys/key_none/delete', undefined, owner.token);
    expect(await list(owner)).toMatchObject([{ action: 'keys', done: true, actor_email: owner.email }]);
  });
});

describe('an export', () => {
  const linesOf = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('as NDJSON has the entries of the list, of the own account only', async () => {
    const owner = await dashboard.register();
    const operator = await dashboard.loginOperator();
    const { id } = owner.account;
    await dashboard.post('keys', { name: 'a key' }, owner.token);
    await dashboard.post('keys/key_none/delete', undefined, owner.token);
    await dashboard.post(`admin/accounts/${id}/topups`, { amount: 5, status: 'cleared' }, operator);
    await dashboard.post('keys', { name: 'of another account' }, (await dashboard.register()).token);
    const { status, headers, body: text } = await dashboard.get('audit/export?format=ndjson', owner.token);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"');
    expect(linesOf(text)).toEqual(await entriesOf(owner));
    expect(linesOf(text)).toHaveLength(3);
    expect(text).not.toContain('operator@example.com');
    const ofOne = await dashboard.get(`admin/audit/export?format=ndjson&account_id=${id}`, operator);
    expect(linesOf(ofOne.body)[0]).toMatchObject({
      account_id: id,
      actor: { email: 'operator@example.com' },
    });
    expect((await entriesOf(owner))[0]).toMatchObject({
      action: 'operator.lookup',
      changes: { call: 'admin/audit/export' },
      actor: { email: null },
    });
    const ofAll = await dashboard.get('admin/audit/export?format=ndjson', operator);
    expect(ofAll.body).toContain('of another account');
  });

  test('as CSV has a header and quoted values, and no formula', async () => {
    const owner = await dashboard.register();
    const { body: key } = await dashboard.post('keys', { name: 'a "key", 1' }, owner.token);
    await dashboard.post('keys/=1+1/delete', undefined, owner.token);
    const { headers, body: text } = await dashboard.get('audit/export', owner.token);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [refused, created] = await entriesOf(owner);
    const { actor, created_at } = created;
    expect(text.split('\r\n')).toEqual([
      'id,created_at,actor_id,actor_email,actor_operator,action,subject,changes,outcome,error_code,request_id,address,account_id',
      `${refused.id},${refused.created_at},${actor.id},${owner.email},false,keys/:id/delete,'=1+1,,refused,not_found,${refused.request_id},127.0.0.1,`,
      `${created.id},${created_at},${actor.id},${owner.email},false,keys,${key.id},"{""name"":""a \\""key\\"", 1""}",done,,${created.request_id},127.0.0.1,`,
      '',
    ]);
  });

  test('and the list have the entries from a time until before another', async () => {
    const owner = await dashboard.register();
    for (const [index, day] of ['2026-03-01', '2026-03-02', '2026-03-03'].entries()) {
      await world.database.query(
        `INSERT INTO dashboard.audit_entries
           (account_id, actor_id, actor_email, by_operator, action, done, request_id, created_at)
         VALUES ('${owner.account.id}', 'user_1', 'a@example.com', false, 'action ${index}', true, 'request', '${day}T00:00:00Z')`,
      );
    }
    const range = 'from=2026-03-02&to=2026-03-03T00:00:00Z';
    const exported = await dashboard.get(`audit/export?format=ndjson&${range}`, owner.token);
    expect(linesOf(exported.body)).toMatchObject([{ action: 'action 1' }]);
    expect((await dashboard.get(`audit?${range}`, owner.token)).body.data).toEqual(linesOf(exported.body));
    expect((await dashboard.get('audit/export?to=2026-01-01&format=ndjson', owner.token)).body).toBe('');
    for (const query of ['from=yesterday', 'format=xml']) {
      expect((await dashboard.get(`audit/export?${query}`, owner.token)).body.error.code).toBe(
        'invalid_request',
      );
    }
  });

  test('of many entries is read in pages, and refused if one file may not have them all', async () => {
    const owner = await dashboard.register();
    const add = (count: number) =>
      world.database.query(
        `INSERT INTO dashboard.audit_entries
           (account_id, actor_id, actor_email, by_operator, action, done, request_id)
         SELECT '${owner.account.id}', 'user_1', 'a@example.com', false, 'keys', true, 'request' || i
         FROM generate_series(1, ${count}) AS i`,
      );
    await add(1_200);
    const entries = linesOf((await dashboard.get('audit/export?format=ndjson', owner.token)).body);
    expect(new Set(entries.map(({ request_id }) => request_id)).size).toBe(1_200);
    expect(entries).toHaveLength(1_200);
    await add(98_801);
    const refused = await dashboard.get('audit/export', owner.token);
    expect(refused.status).toBe(400);
    expect(refused.body.error.detail).toContain('more than 100000 entries');
  });
});
