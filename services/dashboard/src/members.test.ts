import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  changesOf,
  type Dashboard,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world, { LOGIN_LIMIT_PER_EMAIL: '3' });
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

type Owner = Awaited<ReturnType<Dashboard['register']>>;
const newEmail = () => `m-${randomUUIDv7()}@example.com`;
const addMember = async (owner: Owner, role: string) => {
  const { body } = await dashboard.post('members', { email: newEmail(), name: 'M', role }, owner.token);
  const password = 'changed-password-1';
  const token = await dashboard.firstLogin(body.email, body.password, password);
  return { ...body, password, token } as {
    id: string;
    email: string;
    password: string;
    token: string;
  };
};

describe('members', () => {
  test('are listed in pages, and use the account they were added to', async () => {
    const owner = await dashboard.register();
    const member = await addMember(owner, 'member');
    const key = (await dashboard.post('keys', { name: 'theirs' }, member.token)).body;
    expect((await dashboard.get(`keys/${key.id}`, owner.token)).body.id).toBe(key.id);
    const first = (await dashboard.get('members?limit=1', member.token)).body;
    expect(first.data).toMatchObject([{ email: owner.email, role: 'owner' }]);
    const second = (await dashboard.get(`members?limit=1&cursor=${first.next_cursor}`, member.token)).body;
    expect(second).toMatchObject({ data: [{ id: member.id, role: 'member' }], next_cursor: null });
    expect(JSON.stringify([first, second])).not.toContain('password');
  });

  test('get the permissions of a new role at once, and none after their removal', async () => {
    const owner = await dashboard.register();
    const member = await addMember(owner, 'viewer');
    expect((await dashboard.post('keys', { name: 'x' }, member.token)).status).toBe(404);
    await dashboard.post(`members/${member.id}/update`, { role: 'member' }, owner.token);
    expect((await dashboard.post('keys', { name: 'x' }, member.token)).status).toBe(200);
    await dashboard.post(`members/${member.id}/delete`, undefined, owner.token);
    expect((await dashboard.get('keys', member.token)).status).toBe(401);
    const login = { email: member.email, password: member.password };
    expect((await dashboard.post('auth/login', login)).body.error.code).toBe('invalid_credentials');
  });

  test('leave a list of the keys whose values they know, until those are regenerated or deleted', async () => {
    const owner = await dashboard.register();
    const member = await addMember(owner, 'member');
    const keyOf = async (token: string) => (await dashboard.post('keys', { name: 'k' }, token)).body.id;
    const [theirs, rotated, others] = [
      await keyOf(member.token),
      await keyOf(owner.token),
      await keyOf(owner.token),
    ];
    await dashboard.post(`keys/${rotated}/rotate`, { grace_seconds: 60 }, member.token);
    const { body } = await dashboard.post(`members/${member.id}/delete`, undefined, owner.token);
    const idsOf = (keys: { id: string }[]) => keys.map(({ id }) => id);
    expect(idsOf(body.keys)).toEqual([theirs, rotated]);
    const removed = async () => (await dashboard.get('members/removed', owner.token)).body.data;
    expect(await removed()).toMatchObject([{ id: member.id, email: member.email, name: 'M' }]);
    await dashboard.post(`keys/${theirs}/regenerate`, undefined, owner.token);
    expect(idsOf((await removed())[0].keys)).toEqual([rotated]);
    await dashboard.post(`keys/${rotated}/regenerate`, undefined, owner.token);
    expect(await removed()).toEqual([]);
    expect((await dashboard.get(`keys/${others}`, owner.token)).body.holder_ids).toHaveLength(1);
    const viewer = await addMember(owner, 'viewer');
    expect((await dashboard.get('members/removed', viewer.token)).status).toBe(404);
  });

  test('are members to billing, and owners are not, when they change keys', async () => {
    const owner = await dashboard.register();
    const member = await addMember(owner, 'member');
    const { id } = (await dashboard.post('keys', { name: 'k' }, owner.token)).body;
    const callsOf = async (token: string) => {
      const from = world.billing.calls.length;
      await dashboard.post(`keys/${id}/update`, { daily_limit: null }, token);
      await dashboard.post(`keys/${id}/enable`, undefined, token);
      await dashboard.post(`keys/${id}/disable`, undefined, token);
      return world.billing.calls.slice(from).map(({ request }) => (request as { by: object }).by);
    };
    expect(await callsOf(member.token)).toEqual(Array(3).fill({ userId: member.id, isMember: true }));
    const [first] = (await dashboard.get('members', owner.token)).body.data;
    expect(await callsOf(owner.token)).toEqual(Array(3).fill({ userId: first.id, isMember: false }));
  });

  test('include at least one owner, also after concurrent removals', async () => {
    const owner = await dashboard.register();
    const second = await addMember(owner, 'owner');
    const { data } = (await dashboard.get('members', owner.token)).body;
    const first = data.find(({ email }: { email: string }) => email === owner.email).id;
    const answers = await Promise.all([
      dashboard.post(`members/${first}/update`, { role: 'viewer' }, owner.token),
      dashboard.post(`members/${second.id}/update`, { role: 'viewer' }, second.token),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    expect([
      [200, 400],
      [200, 404],
    ]).toContainEqual(statuses);
    const after = [...(await dashboard.get('members', owner.token)).body.data].map(
      ({ role }: { role: string }) => role,
    );
    expect(after.filter((role) => role === 'owner')).toHaveLength(1);
  });

  test('need an unused email and a valid role', async () => {
    const owner = await dashboard.register();
    const add = (more: object) =>
      dashboard.post('members', { email: newEmail(), name: 'M', role: 'member', ...more }, owner.token);
    expect((await add({ email: owner.email })).body.error.code).toBe('email_taken');
    expect((await add({ role: 'operator' })).body.error.code).toBe('invalid_request');
    expect((await add({ role: undefined })).body.error).toMatchObject({
      code: 'missing_parameter',
      param: 'role',
    });
  });
});

describe('attempts to add members', () => {
  test.each([
    ['MEMBER_LIMIT_PER_ACCOUNT', 200],
    ['MEMBER_LIMIT_PER_ADDRESS', 429],
  ])('are counted whatever their outcome: %s', async (setting, ofOthers) => {
    const strict = await startDashboard(world, { [setting]: '2' });
    try {
      const owner = await strict.register();
      const add = ({ token }: Owner, email: string) =>
        strict.post('members', { email, name: 'M', role: 'member' }, token);
      await world.database.query('DELETE FROM dashboard.attempts');
      expect((await add(owner, newEmail())).status).toBe(200);
      expect((await add(owner, owner.email)).body.error.code).toBe('email_taken');
      const refused = await add(owner, newEmail());
      expect([refused.status, refused.body.error.code]).toEqual([429, 'too_many_attempts']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
      expect((await add(await strict.register(), newEmail())).status).toBe(ofOthers);
    } finally {
      await world.database.query('DELETE FROM dashboard.attempts');
      await strict.stop();
    }
  });
});

describe('changes of an account', () => {
  test('are limited by account, except those of operators', async () => {
    const strict = await startDashboard(world, { CHANGE_LIMIT_PER_ACCOUNT: '2' });
    try {
      const owner = await strict.register();
      const makeKey = (token: string) => strict.post('keys', { name: 'a key' }, token);
      expect((await makeKey(owner.token)).status).toBe(200);
      expect((await strict.post('keys', {}, owner.token)).status).toBe(400);
      const refused = await makeKey(owner.token);
      expect([refused.status, refused.body.error.code]).toEqual([429, 'too_many_attempts']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
      expect((await strict.get('audit', owner.token)).body.data).toHaveLength(1);
      expect((await strict.post('auth/logout', undefined, owner.token)).status).toBe(200);
      expect((await makeKey((await strict.register()).token)).status).toBe(200);
      const operator = await strict.loginOperator();
      const suspend = () => strict.post(`admin/accounts/${owner.account.id}/suspend`, undefined, operator);
      for (const _ of [1, 2, 3]) expect((await suspend()).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});

describe('a password', () => {
  test('can be changed with the old one, which ends the other logins', async () => {
    const user = await dashboard.register();
    const { email, password } = user;
    const other = (await dashboard.post('auth/login', { email, password })).body.token;
    const change = (old: string) =>
      dashboard.post('auth/password', { password: old, new_password: 'password-2' }, user.token);
    expect((await change('wrong-password')).body.error.code).toBe('invalid_credentials');
    expect((await change('')).body.error).toMatchObject({ code: 'missing_parameter', param: 'password' });
    expect((await change(password)).status).toBe(200);
    expect((await dashboard.get('keys', user.token)).status).toBe(200);
    expect((await dashboard.get('keys', other)).status).toBe(401);
    expect((await dashboard.post('auth/login', { email, password })).status).toBe(401);
    expect((await dashboard.post('auth/login', { email, password: 'password-2' })).status).toBe(200);
  });

  test('can be guessed only a few times', async () => {
    const user = await dashboard.register();
    const guess = () =>
      dashboard.post('auth/password', { password: 'a guess', new_password: 'password-2' }, user.token);
    for (let i = 0; i < 3; i++) expect((await guess()).status).toBe(401);
    expect((await guess()).body.error.code).toBe('too_many_attempts');
  });
});

describe('a lost password', () => {
  const login = (email: string, password: string) => dashboard.post('auth/login', { email, password });

  test("is reset by an owner, shown once, and ends the member's logins", async () => {
    const owner = await dashboard.register();
    const member = await addMember(owner, 'viewer');
    const { status, body } = await dashboard.post(`members/${member.id}/password`, undefined, owner.token);
    expect([status, body.id, body.role]).toEqual([200, member.id, 'viewer']);
    expect((await dashboard.get('keys', member.token)).status).toBe(401);
    expect((await dashboard.get('keys', owner.token)).status).toBe(200);
    expect((await login(member.email, member.password)).status).toBe(401);
    expect((await login(member.email, body.password)).status).toBe(200);
    const audit = (await dashboard.get('audit', owner.token)).body;
    expect(changesOf(audit).slice(0, 1)).toMatchObject([
      { action: 'members/:id/password', subject: member.id, changes: null, outcome: 'done' },
    ]);
    expect(JSON.stringify(audit)).not.toContain(body.password);
  });

  test('of a sole owner is reset by an operator, which is in the account’s audit log', async () => {
    const owner = await dashboard.register();
    const operator = await dashboard.loginOperator();
    const account = `admin/accounts/${owner.account.id}`;
    const [{ id }] = (await dashboard.get(`${account}/members`, operator)).body.data;
    const { body } = await dashboard.post(`${account}/members/${id}/password`, undefined, operator);
    expect(body).toMatchObject({ id, email: owner.email, account_id: owner.account.id });
    expect((await dashboard.get('keys', owner.token)).status).toBe(401);
    expect((await login(owner.email, owner.password)).status).toBe(401);
    const token = await dashboard.firstLogin(owner.email, body.password);
    const audit = (await dashboard.get('audit', token)).body;
    expect(changesOf(audit)).toMatchObject([
      { action: 'auth/password' },
      { action: 'admin/accounts/:id/members/:member/password', subject: id, actor: { operator: true } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(body.password);
  });

  test("of another account's member or of an unknown member can't be reset", async () => {
    const owner = await dashboard.register();
    const operator = await dashboard.loginOperator();
    const stranger = await addMember(await dashboard.register(), 'member');
    for (const id of [stranger.id, 'user_none', '%00', 'x'.repeat(100)]) {
      for (const [path, token] of [
        [`members/${id}/password`, owner.token],
        [`admin/accounts/${owner.account.id}/members/${id}/password`, operator],
      ] as const) {
        const { status, body } = await dashboard.post(path, undefined, token);
        expect([status, body.error.code]).toEqual([404, 'not_found']);
      }
    }
    expect((await login(stranger.email, stranger.password)).status).toBe(200);
  });

  test("of the own user can't be reset without the old one", async () => {
    const owner = await dashboard.register();
    const { id } = (await dashboard.get('auth/me', owner.token)).body.user;
    const { status, body } = await dashboard.post(`members/${id}/password`, undefined, owner.token);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect((await login(owner.email, owner.password)).status).toBe(200);
  });

  test("of an operator can't be reset by an owner of the operator's account", async () => {
    const operator = await dashboard.loginOperator();
    const { user, account } = (await dashboard.get('auth/me', operator)).body;
    const second = { email: newEmail(), name: 'Second', role: 'owner' };
    const { body: made } = await dashboard.post(`admin/accounts/${account.id}/members`, second, operator);
    const token = await dashboard.firstLogin(made.email, made.password);
    const { status, body } = await dashboard.post(`members/${user.id}/password`, undefined, token);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect((await dashboard.get('auth/me', operator)).status).toBe(200);
    await dashboard.post(`members/${made.id}/delete`, undefined, operator);
  });
});

describe('the audit log', () => {
  test('lists every change with its actor and its request, newest first in pages', async () => {
    const owner = await dashboard.register();
    const member = await addMember(owner, 'member');
    const key = (await dashboard.post('keys', { name: 'a key', rpm_limit: 5 }, member.token)).body;
    await dashboard.post(`keys/${key.id}/rotate`, { grace_seconds: 60 }, owner.token);
    await dashboard.post(
      'auth/password',
      { password: member.password, new_password: 'a new one' },
      member.token,
    );
    const all = (await dashboard.get('audit', owner.token)).body;
    expect(changesOf(all)).toMatchObject([
      { action: 'auth/password', subject: member.id, changes: null, actor: { email: member.email } },
      { action: 'keys/:id/rotate', subject: key.id, changes: { grace_seconds: 60 } },
      { action: 'keys', subject: key.id, changes: { name: 'a key', rpm_limit: 5 }, actor: { id: member.id } },
      { action: 'auth/password', actor: { id: member.id } },
      { action: 'members', subject: member.id, outcome: 'done', actor: { email: owner.email } },
    ]);
    expect(JSON.stringify(all)).not.toContain('sk-gw');
    expect(JSON.stringify(all)).not.toContain(member.password);
    const first = (await dashboard.get('audit?limit=4', owner.token)).body;
    const rest = (await dashboard.get(`audit?limit=4&cursor=${first.next_cursor}`, owner.token)).body;
    expect([...first.data, ...rest.data]).toEqual(all.data);
    expect(rest.next_cursor).toBeNull();
    // Cursor and id do not reveal the number of changes of all accounts.
    for (const word of [first.next_cursor, first.data[0].id]) expect(word).toMatch(/^[\w-]{22}$/);
    expect((await dashboard.get('audit?cursor=5', owner.token)).body.error.code).toBe('invalid_request');
  });

  test('keeps a refused change with its error code, none of an invalid body, and a failed one with an unknown outcome', async () => {
    const owner = await dashboard.register();
    await dashboard.post('keys/key_none/delete', undefined, owner.token);
    await dashboard.post('keys', { name: '\0', nonsense: '\ud800' }, owner.token);
    await dashboard.post('keys', { name: 'a key', pasword: 'misspelled' }, owner.token);
    const refused = {
      action: 'keys/:id/delete',
      subject: 'key_none',
      changes: null,
      outcome: 'refused',
      error_code: 'not_found',
      actor: { email: owner.email },
    };
    expect((await dashboard.get('audit', owner.token)).body.data).toMatchObject([refused]);
    const { handlers } = world.billing;
    const createKey = handlers.CreateKey!;
    handlers.CreateKey = () => {
      throw new Error('gone');
    };
    expect((await dashboard.post('keys', { name: 'lost' }, owner.token)).status).toBe(500);
    handlers.CreateKey = createKey;
    expect((await dashboard.get('audit', owner.token)).body.data).toMatchObject([
      { action: 'keys', outcome: 'unknown', error_code: null, subject: null, changes: { name: 'lost' } },
      refused,
    ]);
  });

  test('shows an account the changes by operators without their names; shows operators everything', async () => {
    const owner = await dashboard.register();
    const operator = await dashboard.loginOperator();
    const { id } = owner.account;
    await dashboard.post(`admin/accounts/${id}/topups`, { amount: 5, status: 'cleared' }, operator);
    const key = (await dashboard.post('keys', { name: 'leaked' }, owner.token)).body;
    await dashboard.post(`admin/keys/${key.id}/revoke`, undefined, operator);
    const data = changesOf((await dashboard.get('audit', owner.token)).body);
    expect(data).toMatchObject([
      { action: 'admin/keys/:id/revoke', subject: key.id, actor: { id: null, email: null, operator: true } },
      { action: 'keys', actor: { email: owner.email, operator: false } },
      { action: 'admin/accounts/:id/topups', changes: { amount: 5 }, actor: { email: null, operator: true } },
    ]);
    const all = changesOf((await dashboard.get('admin/audit', operator)).body);
    expect(all[0]).toMatchObject({ account_id: id, actor: { email: 'operator@example.com' } });
    await dashboard.post('keys', { name: 'other' }, (await dashboard.register()).token);
    const ofOne = changesOf((await dashboard.get(`admin/audit?account_id=${id}`, operator)).body);
    expect(ofOne).toHaveLength(3);
    expect(ofOne[1]).toMatchObject({ account_id: id, action: 'keys', actor: { email: owner.email } });
    expect((await dashboard.get('admin/audit?account_id=%00', operator)).status).toBe(400);
  });
});

describe('requests and usage', () => {
  test('have the documented fields', async () => {
    const owner = await dashboard.register();
    const createdMs = Date.UTC(2026, 4, 6, 7, 8, 9);
    world.billing.requests.push({
      id: 'r1',
      accountId: owner.account.id,
      keyId: 'k',
      model: 'sim/chat',
      endpoint: '/v1/chat/completions',
      provider: 'sim',
      status: 200,
      costNano: '1500000',
      tokens: { input: '10', cacheRead: '5', cacheWrite: '1', output: '7', reasoning: '2' },
      videoMs: '2500',
      createdAtMs: String(createdMs),
      startedAtMs: String(createdMs + 3),
      admittedMs: 4,
      firstByteMs: 100,
      endedAtMs: String(createdMs + 303),
      providerCostNano: '1200000',
    });
    const record = (await dashboard.get('requests/r1', owner.token)).body;
    expect(record).toMatchObject({
      id: 'r1',
      created_at: '2026-05-06T07:08:09.000Z',
      key_id: 'k',
      endpoint: '/v1/chat/completions',
      model: 'sim/chat',
      status: 200,
      error_code: null,
      input_tokens: 16,
      output_tokens: 7,
      seconds: 2.5,
      cost: 0.0015,
      timings: { receive_ms: 3, admit_ms: 4, first_byte_ms: 96, reply_ms: 200, total_ms: 303 },
    });
    expect((await dashboard.get('requests', owner.token)).body).toEqual({
      data: [record],
      next_cursor: null,
    });
    expect(record).toMatchObject({ in_progress: false, held: 0, task_id: null });
    const operator = await dashboard.loginOperator();
    expect(record).not.toHaveProperty('provider_cost');
    const any = { ...record, account_id: owner.account.id, user_id: null, provider_cost: 0.0012 };
    expect((await dashboard.get('admin/requests/r1', operator)).body).toEqual(any);
    const ofAll = (await dashboard.get(`admin/requests?account_id=${owner.account.id}`, operator)).body;
    expect(ofAll).toEqual({ data: [any], next_cursor: null });
    world.billing.calls.length = 0;
    await dashboard.get('admin/requests?status=failed&key_id=k', operator);
    expect(world.billing.calls.find(({ method }) => method === 'ListAllRequests')!.request).toMatchObject({
      filter: { accountId: '', keyId: 'k', end: 'REQUEST_END_FAILED' },
    });
    world.billing.calls.length = 0;
    await dashboard.get(
      'requests?from=2026-05-01&to=2026-05-02T03:00:00%2B01:00&status=429&model=a%2Fb&error_code=e&key_id=k&limit=7',
      owner.token,
    );
    expect(world.billing.calls[0]!.request).toMatchObject({
      accountId: owner.account.id,
      fromMs: String(Date.UTC(2026, 4, 1)),
      toMs: String(Date.UTC(2026, 4, 2, 2)),
      status: 429,
      model: 'a/b',
      errorCode: 'e',
      keyId: 'k',
      limit: 7,
    });
    world.billing.calls.length = 0;
    for (const end of ['ok', 'failed', 'in_progress'])
      await dashboard.get(`requests?status=${end}`, owner.token);
    expect(world.billing.calls.map(({ request }) => request)).toMatchObject([
      { status: 0, end: 'REQUEST_END_OK' },
      { status: 0, end: 'REQUEST_END_FAILED' },
      { status: 0, end: 'REQUEST_END_IN_PROGRESS' },
    ]);
    for (const query of [
      'from=yesterday',
      'status=good',
      'model=%00',
      'from=2026-02-31',
      'limit=0',
      'to=1&to=2',
    ]) {
      expect((await dashboard.get(`requests?${query}`, owner.token)).body.error.code).toBe('invalid_request');
    }
  });

  test('show a video task in progress with its reserved amount and without a status', async () => {
    const owner = await dashboard.register();
    world.billing.requests.push({
      id: 'r2',
      accountId: owner.account.id,
      keyId: 'k',
      model: 'sim/video',
      endpoint: '/v1/videos/sim/create',
      createdAtMs: String(Date.UTC(2026, 4, 6)),
      taskId: 'task_1',
      inProgress: true,
      heldNano: '250000000',
    });
    expect((await dashboard.get('requests/r2', owner.token)).body).toMatchObject({
      status: null,
      in_progress: true,
      task_id: 'task_1',
      error_code: null,
      provider: null,
      cost: 0,
      held: 0.25,
      timings: null,
    });
  });

  test('sum usage over several days', async () => {
    const owner = await dashboard.register();
    const query = 'usage?from=2026-05-01&to=2026-05-31&group_by=model';
    expect((await dashboard.get(query, owner.token)).body).toEqual({
      data: [
        {
          group: '2026-05-01',
          calls: 3,
          errors: 1,
          input_tokens: 10,
          output_tokens: 20,
          images: 2,
          seconds: 5.5,
          cost: 1.5,
        },
      ],
    });
    expect(world.billing.calls.at(-1)!.request).toMatchObject({
      toDay: '2026-05-31',
      groupBy: 'USAGE_GROUP_MODEL',
    });
    expect((await dashboard.get('usage', owner.token)).status).toBe(200);
    for (const [by, groupBy, row] of [
      ['day,model', 'USAGE_GROUP_DAY_MODEL', { group: '2026-05-01', model: 'sim/chat', calls: 3 }],
      ['day%2Ckey', 'USAGE_GROUP_DAY_KEY', { group: '2026-05-01', key_id: 'k', calls: 3 }],
    ] as const) {
      const answer = await dashboard.get(`usage?from=2026-05-01&to=2026-05-31&group_by=${by}`, owner.token);
      expect(answer.body.data).toEqual([expect.objectContaining(row)]);
      expect('model' in answer.body.data[0] && 'key_id' in answer.body.data[0]).toBe(false);
      expect(world.billing.calls.at(-1)!.request).toMatchObject({ groupBy });
    }
    for (const wrong of [
      'usage?from=2026-05-02&to=2026-05-01',
      'usage?from=2001-01-01',
      'usage?group_by=hour',
      'usage?group_by=model,key',
    ]) {
      expect((await dashboard.get(wrong, owner.token)).body.error.code).toBe('invalid_request');
    }
  });
});
