import { randomUUIDv7 } from 'node:crypto';
import { createPool } from '@gateway/postgres';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { renewPassword } from './actions/renew-password';
import type { PasswordHasher } from './security/password-hasher';
import { findUserByEmail, insertUser } from './store/users';
import {
  type Dashboard,
  OPERATOR,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
let operator: string;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world, {
    LOGIN_LIMIT_PER_EMAIL_ANYWHERE: '3',
    LOGIN_LIMIT_PER_EMAIL: '2',
  });
  operator = await dashboard.loginOperator();
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const newEmail = () => `o-${randomUUIDv7()}@example.com`;
const operators = async (token = operator) => (await dashboard.get('admin/operators', token)).body.data;
const add = async () => (await dashboard.post('admin/operators', { email: newEmail() }, operator)).body;
const remove = (id: string, token = operator) =>
  dashboard.post(`admin/operators/${id}/remove`, undefined, token);
const logIn = async (email: string, password: string) =>
  (await dashboard.post('auth/login', { email, password })).body;

describe('operators', () => {
  test('the last one can be removed, deleted as a member or demoted by nobody', async () => {
    const [last] = await operators();
    expect(last).toMatchObject({ email: OPERATOR.email, must_change_password: false });
    expect((await remove(last.id)).body.error).toMatchObject({ code: 'invalid_request' });
    const second = { email: newEmail(), name: 'B', role: 'owner' };
    const account = (await dashboard.get('auth/me', operator)).body.account.id;
    await dashboard.post(`admin/accounts/${account}/members`, second, operator);
    const deleted = await dashboard.post(`members/${last.id}/delete`, undefined, operator);
    expect(deleted.body.error).toMatchObject({
      code: 'invalid_request',
      detail: 'the gateway needs an operator who has changed the first password',
    });
    expect(await operators()).toHaveLength(1);
    expect((await dashboard.get('admin/operators', operator)).status).toBe(200);
  });

  test('are new users with a first password, and lose their permissions at once when removed', async () => {
    const added = await add();
    expect(added).toMatchObject({ must_change_password: true, password: expect.any(String) });
    const first = await logIn(added.email, added.password);
    expect(first.must_change_password).toBe(true);
    expect((await dashboard.get('admin/operators', first.token)).status).toBe(404);
    const token = await dashboard.firstLogin(added.email, added.password);
    expect(await operators(token)).toHaveLength(2);
    await remove(added.id, token);
    expect((await dashboard.get('admin/operators', token)).status).toBe(404);
    expect((await dashboard.get('keys', token)).status).toBe(200);
  });

  test('are not made from a user, who may have registered with the email of somebody else', async () => {
    const user = await dashboard.register();
    const answer = await dashboard.post('admin/operators', { email: user.email }, operator);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'email_taken', param: 'email' });
    expect(answer.body.error.detail).toContain('belongs to a user');
    expect((await dashboard.get('admin/operators', user.token)).status).toBe(404);
    expect(await operators()).toHaveLength(1);
  });

  test('the last one who has changed the first password stays, and ADMIN_EMAIL is another if none has', async () => {
    await add();
    const [own] = (await operators()).filter((one: { email: string }) => one.email === OPERATOR.email);
    expect((await remove(own.id)).body.error).toMatchObject({
      code: 'invalid_request',
      detail: 'the gateway needs an operator who has changed the first password',
    });
    await world.database.query(`UPDATE dashboard.users SET operator = false WHERE id = '${own.id}'`);
    const email = newEmail();
    const restarted = await startDashboard(world, { ADMIN_EMAIL: email });
    try {
      const { token } = await logIn(email, OPERATOR.password);
      expect(await operators(token)).toHaveLength(2);
      await world.database.query(`UPDATE dashboard.users SET operator = email = '${OPERATOR.email}'`);
    } finally {
      await restarted.stop();
    }
  });

  test('two of them can not remove each other', async () => {
    const { id, email, password } = await add();
    const token = await dashboard.firstLogin(email, password);
    const [own] = (await operators()).filter((one: { email: string }) => one.email === OPERATOR.email);
    const answers = await Promise.all([remove(own.id, token), remove(id, operator)]);
    const left = await operators(answers[0]?.status === 200 ? token : operator);
    expect(left.length).toBe(1);
    await world.database.query(`UPDATE dashboard.users SET operator = true WHERE id = '${own.id}'`);
    await remove(id);
  });

  test('are not locked out of a known address by wrong passwords from elsewhere', async () => {
    const user = await dashboard.register();
    const from = (address: string, password: string) =>
      dashboard.post('auth/login', { email: user.email, password }, undefined, {
        'x-forwarded-for': address,
      });
    expect((await from('198.51.100.1', user.password)).status).toBe(200);
    for (const host of [2, 3, 4]) await from(`198.51.100.${host}`, 'wrong-password');
    expect((await from('198.51.100.5', user.password)).body.error.code).toBe('too_many_attempts');
    expect((await from('198.51.100.1', user.password)).status).toBe(200);
  });

  test('one who was removed does not come back with the next start', async () => {
    const { id, email } = await add();
    await remove(id);
    const restarted = await startDashboard(world, { ADMIN_EMAIL: email });
    try {
      expect(await operators()).toHaveLength(1);
    } finally {
      await restarted.stop();
    }
  });
});

describe('a first password', () => {
  test('must be changed before anything else, by a different one, and again after a reset', async () => {
    const owner = await dashboard.register();
    const { body } = await dashboard.post(
      'members',
      { email: newEmail(), name: 'M', role: 'member' },
      owner.token,
    );
    const { token, must_change_password } = await logIn(body.email, body.password);
    expect(must_change_password).toBe(true);
    expect((await dashboard.get('auth/me', token)).body.must_change_password).toBe(true);
    for (const path of ['keys', 'models', 'members', 'billing/balance'])
      expect((await dashboard.get(path, token)).status).toBe(404);
    expect((await dashboard.post('keys', { name: 'k' }, token)).body.error.detail).toContain('auth/password');
    const change = (password: string, new_password: string) =>
      dashboard.post('auth/password', { password, new_password }, token);
    expect((await change(body.password, body.password)).body.error.code).toBe('invalid_request');
    expect((await change(body.password, 'my-own-password')).status).toBe(200);
    expect((await dashboard.get('keys', token)).status).toBe(200);
    const reset = (await dashboard.post(`members/${body.id}/password`, undefined, owner.token)).body;
    const again = await logIn(body.email, reset.password);
    expect(again.must_change_password).toBe(true);
    expect((await dashboard.get('keys', again.token)).status).toBe(404);
  });
});

test('the password of a member who became an operator meanwhile is not replaced by an owner', async () => {
  const { account } = await dashboard.register();
  const pool = createPool({ url: world.database.url, log: world.log, maxConnections: 1 });
  const [owner, member] = ['owner', 'member'].map((role) => ({
    id: `user_${randomUUIDv7()}`,
    accountId: account.id,
    email: newEmail(),
    name: 'N',
    role: role as 'owner' | 'member',
    operator: false,
    mustChangePassword: false,
  }));
  try {
    await insertUser(pool, member!, 'hash');
    const hash = async () => {
      await world.database.query(`UPDATE dashboard.users SET operator = true WHERE id = '${member!.id}'`);
      return 'new hash';
    };
    const renewal = { accountId: account.id, memberId: member!.id, by: owner!, address: '' };
    const renewed = renewPassword({ pool, hasher: { hash } as unknown as PasswordHasher }, renewal);
    await expect(renewed).rejects.toMatchObject({ code: 'not_found' });
    expect((await findUserByEmail(pool, member!.email))?.passwordHash).toBe('hash');
  } finally {
    await world.database.query(`UPDATE dashboard.users SET operator = false WHERE id = '${member!.id}'`);
    await pool.end();
  }
});

describe('registration', () => {
  const started = async (mode: string) => startDashboard(world, { REGISTRATION: mode });
  const register = (on: Dashboard, more: object = {}) =>
    on.post('auth/register', { email: newEmail(), password: 'password-1', name: 'N', ...more });

  test('by invitation requires one that is open, once, and for its email', async () => {
    const on = await started('invite');
    try {
      const operator = await on.loginOperator();
      const invite = async (body?: object) => (await on.post('admin/invitations', body, operator)).body;
      expect((await on.get('auth/registration')).body).toEqual({ registration: 'invite' });
      expect((await register(on)).body.error).toMatchObject({
        code: 'missing_parameter',
        param: 'invitation',
      });
      expect((await register(on, { invitation: 'guess' })).body.error.code).toBe('invalid_request');
      const open = await invite();
      const registered = await register(on, { invitation: open.code });
      expect(registered.status).toBe(200);
      expect((await register(on, { invitation: open.code })).body.error.code).toBe('invalid_request');
      const bound = await invite({ email: newEmail(), expires_in_days: 1 });
      expect((await register(on, { invitation: bound.code })).body.error.code).toBe('invalid_request');
      expect((await register(on, { invitation: bound.code, email: bound.email })).status).toBe(200);
      const revoked = await invite();
      await on.post(`admin/invitations/${revoked.id}/revoke`, undefined, operator);
      expect((await register(on, { invitation: revoked.code })).body.error.code).toBe('invalid_request');
      expect((await on.post(`admin/invitations/${open.id}/revoke`, undefined, operator)).status).toBe(400);
      const { data } = (await on.get('admin/invitations', operator)).body;
      expect(data.map(({ status }: { status: string }) => status)).toEqual(['revoked', 'used', 'used']);
      expect(data.at(-1).registered_account_id).toBe(registered.body.account.id);
      expect(JSON.stringify(data)).not.toContain(open.code);
      const raced = await invite();
      const both = await Promise.all([1, 2].map(() => register(on, { invitation: raced.code })));
      expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    } finally {
      await on.stop();
    }
  });

  test('is not_found where it is off, and open by default', async () => {
    const on = await started('off');
    try {
      expect((await register(on)).body.error.code).toBe('not_found');
      expect((await on.get('auth/registration')).body).toEqual({ registration: 'off' });
    } finally {
      await on.stop();
    }
    expect((await dashboard.get('auth/registration')).body).toEqual({ registration: 'open' });
  });
});
