import { createHmac } from 'node:crypto';
import type { ProtoGrpcType } from '@gateway/proto/generated/dashboard';
import { LOGIN_TOKEN } from '@gateway/public-http';
import { callUnary, createGrpcClient, loadService, sharedSecret } from '@gateway/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { decodeJwt, SignJWT } from 'jose';
import { SigningKeys } from './security/signing-keys';
import {
  type Dashboard,
  newSeed,
  OPERATOR,
  SECRET,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';

jest.setTimeout(30_000);

const SEED = newSeed();
let world: World;
let dashboard: Dashboard;
const others: Dashboard[] = [];

beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world, { JWT_SIGNING_KEY: SEED });
});
afterEach(async () => {
  for (const other of others.splice(0)) await other.stop();
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const startAnother = async (env: Record<string, string>) => {
  const other = await startDashboard(world, env);
  others.push(other);
  return other;
};

describe('register', () => {
  test('creates an account that is usable at once, with a balance of zero', async () => {
    const { status, body } = await dashboard.post('auth/register', {
      email: ' Ann@Example.COM ',
      password: 'password-1',
      name: ' Ann ',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.any(String),
      expires_at: expect.stringMatching(/Z$/),
      account: { id: expect.stringMatching(/^acct_/) },
      user: { id: expect.stringMatching(/^user_/), email: 'ann@example.com', name: 'Ann' },
    });
    const inMs = Date.parse(body.expires_at) - Date.now();
    expect(inMs).toBeGreaterThan((LOGIN_TOKEN.lifetimeSeconds - 10) * 1_000);
    expect(inMs).toBeLessThanOrEqual(LOGIN_TOKEN.lifetimeSeconds * 1_000);
    const balance = await dashboard.get('billing/balance', body.token);
    expect(balance.body).toEqual({
      account_id: body.account.id,
      balance: 0,
      held: 0,
      available: 0,
      currency: 'USD',
    });
    expect(
      (await dashboard.post('auth/login', { email: 'ANN@example.com', password: 'password-1' })).status,
    ).toBe(200);
  });

  test('creates one account per email, also for two concurrent registrations', async () => {
    const body = { email: 'twice@example.com', password: 'password-1', name: 'x' };
    const answers = await Promise.all([1, 2, 3].map(() => dashboard.post('auth/register', body)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400]);
    const refused = answers.find((answer) => answer.status === 400)!;
    expect(refused.body.error).toMatchObject({ code: 'email_taken', param: 'email' });
    const made = [...world.billing.accounts.keys()].length;
    await dashboard.post('auth/register', body);
    expect([...world.billing.accounts.keys()].length).toBe(made);
  });

  test('completes a registration that failed at billing under the same account id', async () => {
    world.billing.failing.count = 1;
    const body = { email: 'broken@example.com', password: 'password-1', name: 'x' };
    const first = await dashboard.post('auth/register', body);
    expect(first.body.error.code).toBe('internal_error');
    const second = await dashboard.post('auth/register', body);
    expect(second.status).toBe(200);
    const [earlier, later] = world.billing.createAccountIds.slice(-2);
    expect(earlier).toBe(later);
    expect(second.body.account.id).toBe(later);
  });

  test.each([
    ['no email', { password: 'password-1', name: 'x' }, 'missing_parameter', 'email'],
    ['a blank email', { email: '', password: 'password-1', name: 'x' }, 'missing_parameter', 'email'],
    ['a null password', { email: 'a@b.co', password: null, name: 'x' }, 'missing_parameter', 'password'],
    ['no name', { email: 'a@b.co', password: 'password-1' }, 'missing_parameter', 'name'],
    ['an invalid email', { email: 'a b', password: 'password-1', name: 'x' }, 'invalid_request', undefined],
    ['a short password', { email: 'a@b.co', password: 'short', name: 'x' }, 'invalid_request', undefined],
    ['a number as email', { email: 5, password: 'password-1', name: 'x' }, 'invalid_request', undefined],
    [
      'a lone surrogate',
      { email: 'a\ud800@b.co', password: 'password-1', name: 'x' },
      'invalid_request',
      undefined,
    ],
    [
      'an unknown field',
      { email: 'a@b.co', password: 'p', name: 'x', operator: true },
      'invalid_request',
      undefined,
    ],
    ['both a wrong and a missing field', { email: 5, name: 'x' }, 'invalid_request', undefined],
  ])('refuses a registration with %s', async (_what, body, code, param) => {
    const answer = await dashboard.post('auth/register', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe(code);
    expect(answer.body.error.param).toBe(param);
    expect(JSON.stringify(answer.body)).not.toContain('password-1');
  });

  test('is limited by the client address that edge passes on', async () => {
    const other = await startAnother({ REGISTER_LIMIT_PER_ADDRESS: '1' });
    const from = (address: string, email: string) =>
      other.post('auth/register', { email, password: 'password-1', name: 'x' }, undefined, {
        'x-forwarded-for': address,
      });
    expect((await from('192.0.2.1', 'limit-1@example.com')).status).toBe(200);
    const refused = await from('192.0.2.1', 'limit-2@example.com');
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({ type: 'rate_limit_error', code: 'too_many_attempts' });
    expect((await from('192.0.2.2', 'limit-2@example.com')).status).toBe(200);
    expect((await from('2001:db8::1', 'limit-3@example.com')).status).toBe(200);
    expect((await from('2001:db8::ffff:2', 'limit-4@example.com')).status).toBe(429);
    expect((await from('2001:db8:0:1::1', 'limit-4@example.com')).status).toBe(200);
  });

  test('deletes an interrupted registration after a day, unless it is retried', async () => {
    const registrations = async () => {
      const { rows } = await world.database.query('SELECT email FROM dashboard.registrations ORDER BY email');
      return rows.map(({ email }) => email);
    };
    await world.database.query(
      `DELETE FROM dashboard.registrations;
       INSERT INTO dashboard.registrations (email, account_id, created_at) VALUES
         ('back@example.com', 'acct_back', now() - interval '25 hours'),
         ('old@example.com', 'acct_old', now() - interval '25 hours'),
         ('young@example.com', 'acct_young', now() - interval '23 hours')`,
    );
    world.billing.failing.count = 1;
    const body = { email: 'back@example.com', password: 'password-1', name: 'x' };
    expect((await dashboard.post('auth/register', body)).status).toBe(500);
    expect(await registrations()).toEqual(['back@example.com', 'young@example.com']);
    await dashboard.register();
    expect(await registrations()).toEqual(['back@example.com', 'young@example.com']);
    expect((await dashboard.post('auth/register', body)).body.account.id).toBe('acct_back');
    expect(await registrations()).toEqual(['young@example.com']);
  });
});

describe('login', () => {
  test('answers an unknown email and a wrong password identically', async () => {
    const { email } = await dashboard.register();
    const wrong = await dashboard.post('auth/login', { email, password: 'not-this-one' });
    const unknown = await dashboard.post('auth/login', {
      email: 'nobody@example.com',
      password: 'password-1',
    });
    const nonsense = await dashboard.post('auth/login', { email: 'a\u0000b', password: 'password-1' });
    expect(wrong.status).toBe(401);
    expect(wrong.body.error).toEqual({
      type: 'authentication_error',
      code: 'invalid_credentials',
      message: 'Email or password is incorrect.',
    });
    expect(unknown.body).toEqual(wrong.body);
    expect(nonsense.body).toEqual(wrong.body);
  });

  test.each([
    ['no email', { password: 'p' }, 'email'],
    ['a blank email', { email: '', password: 'p' }, 'email'],
    ['a blank password', { email: 'a@b.co', password: '' }, 'password'],
  ])('refuses a login with %s as missing', async (_what, body, param) => {
    const { status, body: answer } = await dashboard.post('auth/login', body);
    expect([status, answer.error.code, answer.error.param]).toEqual([400, 'missing_parameter', param]);
  });

  test('is limited by email, even for the correct password, and without affecting other emails', async () => {
    const other = await startAnother({ LOGIN_LIMIT_PER_EMAIL: '2' });
    const user = await other.register();
    const login = (password: string, email = user.email) => other.post('auth/login', { email, password });
    expect((await login('wrong')).status).toBe(401);
    expect((await login(user.password)).status).toBe(200);
    expect((await login('wrong')).status).toBe(401);
    expect((await login('wrong')).status).toBe(401);
    const refused = await login(user.password);
    expect(refused.status).toBe(429);
    expect(refused.body.error.code).toBe('too_many_attempts');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    const someone = await other.register();
    expect((await login(someone.password, someone.email)).status).toBe(200);
  });

  test('is limited by address, whatever the emails; successful logins do not count', async () => {
    const other = await startAnother({ LOGIN_LIMIT_PER_ADDRESS: '2' });
    const user = await other.register();
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    const login = (email: string, password: string) =>
      other.post('auth/login', { email, password }, undefined, headers);
    for (const _ of [1, 2, 3]) expect((await login(user.email, user.password)).status).toBe(200);
    expect((await login('one@example.com', 'wrong')).status).toBe(401);
    expect((await login('two@example.com', 'wrong')).status).toBe(401);
    expect((await login(user.email, user.password)).status).toBe(429);
  });
});

describe('login under attack', () => {
  const from = (on: Dashboard, address: string) => (email: string, password: string) =>
    on.post('auth/login', { email, password }, undefined, { 'x-forwarded-for': address });

  test('attempts from another address do not lock the user out; attempts from many addresses only where they have not logged in before', async () => {
    const other = await startAnother({ LOGIN_LIMIT_PER_EMAIL: '2', LOGIN_LIMIT_PER_EMAIL_ANYWHERE: '4' });
    const { email, password } = await other.register();
    const [stranger, another, owner, elsewhere] = [81, 82, 83, 84].map((host) =>
      from(other, `192.0.2.${host}`),
    );
    const guess = async (login = stranger!) => (await login(email, 'wrong')).status;
    expect([await guess(), await guess(), await guess(), await guess()]).toEqual([401, 401, 429, 429]);
    expect((await stranger!(email, password)).status).toBe(429);
    expect((await owner!(email, password)).status).toBe(200);
    expect([await guess(another), await guess(another)]).toEqual([401, 401]);
    expect((await elsewhere!(email, password)).status).toBe(429);
    expect((await owner!(email, password)).status).toBe(200);
  });

  test('correct passwords are limited too, by user; wrong ones do not count', async () => {
    const other = await startAnother({ LOGIN_LIMIT_PER_USER: '2' });
    const { email, password, token } = await other.register();
    const login = (given = password) => other.post('auth/login', { email, password: given });
    const change = () => other.post('auth/password', { password, new_password: password }, token);
    for (const _ of [1, 2, 3]) expect((await login('wrong')).status).toBe(401);
    expect((await login()).status).toBe(200);
    expect((await change()).status).toBe(200);
    expect((await change()).body.error.code).toBe('too_many_attempts');
    const refused = await login();
    expect(refused.body.error.code).toBe('too_many_attempts');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    const someone = await other.register();
    expect((await other.post('auth/login', { email: someone.email, password })).status).toBe(200);
  });
});

describe('token', () => {
  test('is replaced at a refresh, and ended by a logout of its login and no other', async () => {
    const user = await dashboard.register();
    const second = (
      await dashboard.post('auth/login', user && { email: user.email, password: user.password })
    ).body;
    const refreshed = await dashboard.post('auth/refresh', undefined, user.token);
    expect(refreshed.status).toBe(200);
    expect(refreshed.body.token).not.toBe(user.token);
    expect((await dashboard.get('keys', refreshed.body.token)).status).toBe(200);
    expect((await dashboard.post('auth/logout', {}, refreshed.body.token)).status).toBe(200);
    expect((await dashboard.get('keys', user.token)).status).toBe(401);
    expect((await dashboard.get('keys', refreshed.body.token)).status).toBe(401);
    expect((await dashboard.post('auth/refresh', undefined, user.token)).status).toBe(401);
    expect((await dashboard.get('keys', second.token)).status).toBe(200);
  });

  const keys = new SigningKeys([SEED]);

  /** Returns the token as if it had been issued the given number of seconds earlier. */
  const aged = async (token: string, seconds: number) => {
    const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: LOGIN_TOKEN.algorithm, kid: keys.current.id })
      .setIssuedAt(iat - seconds)
      .setExpirationTime(exp - seconds)
      .sign(keys.current.privateKey);
  };
  const { lifetimeSeconds, renewableSeconds } = LOGIN_TOKEN;
  const AN_HOUR = lifetimeSeconds + 3_600;
  const refresh = (token: string) => dashboard.post('auth/refresh', undefined, token);

  test('that has expired can be refreshed for twelve hours, and nothing else', async () => {
    const { token } = await dashboard.register();
    const ended = await aged(token, AN_HOUR);
    expect((await dashboard.get('keys', ended)).status).toBe(401);
    expect((await dashboard.post('auth/logout', {}, ended)).status).toBe(401);
    const renewed = await refresh(ended);
    expect(renewed.status).toBe(200);
    expect((await dashboard.get('keys', renewed.body.token)).status).toBe(200);
    const almostTooOld = await aged(renewed.body.token, lifetimeSeconds + renewableSeconds - 60);
    const tooOld = await aged(renewed.body.token, lifetimeSeconds + renewableSeconds + 60);
    expect((await refresh(tooOld)).status).toBe(401);
    expect((await refresh(almostTooOld)).status).toBe(200);
  });

  test('refreshed a second time ends the login for both holders', async () => {
    const { token: stolen, email, password } = await dashboard.register();
    const { token: other } = (await dashboard.post('auth/login', { email, password })).body;
    const { token: thiefs } = (await refresh(stolen)).body;
    expect((await dashboard.get('keys', thiefs)).status).toBe(200);
    const reused = await refresh(stolen);
    expect(reused.status).toBe(401);
    expect(reused.body.error.code).toBe('invalid_api_key');
    expect(reused.body.error.detail).toContain('refreshed already');
    for (const token of [stolen, thiefs]) expect((await dashboard.get('keys', token)).status).toBe(401);
    expect((await refresh(thiefs)).status).toBe(401);
    expect((await dashboard.get('keys', other)).status).toBe(200);
  });

  test('of a version that did not count refreshes can be refreshed', async () => {
    const { token } = await dashboard.register();
    const { token: counted } = (await refresh(token)).body;
    const { renewals, iat, exp, ...claims } = decodeJwt(counted);
    expect(renewals).toBe(1);
    const uncounted = await new SignJWT(claims)
      .setProtectedHeader({ alg: LOGIN_TOKEN.algorithm, kid: keys.current.id })
      .setIssuedAt(iat)
      .setExpirationTime(exp!)
      .sign(keys.current.privateKey);
    const renewed = await refresh(uncounted);
    expect(renewed.status).toBe(200);
    expect((await refresh(renewed.body.token)).status).toBe(200);
  });

  test('refreshed concurrently results in at most one new token', async () => {
    const { token } = await dashboard.register();
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(token)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const { body } of answers) {
      if (body.token) expect((await dashboard.get('keys', body.token)).status).toBe(401);
    }
  });

  test('refreshed with a wrong body can still be refreshed', async () => {
    const { token } = await dashboard.register();
    expect((await dashboard.post('auth/refresh', { x: 1 }, token)).status).toBe(400);
    expect((await refresh(token)).status).toBe(200);
  });

  test('that has expired is not refreshed after a logout, a password change, seven days or the removal of its user', async () => {
    const [left, changed, old] = await Promise.all([1, 2, 3].map(() => dashboard.register()));
    await dashboard.post('auth/logout', {}, left!.token);
    const { email, password } = changed!;
    const { token: other } = (await dashboard.post('auth/login', { email, password })).body;
    const passwords = { password, new_password: 'password-2' };
    expect((await dashboard.post('auth/password', passwords, other)).status).toBe(200);
    await world.database.query(
      `UPDATE dashboard.sessions SET expires_at = now() WHERE id = '${decodeJwt(old!.token).sid}'`,
    );
    const { token: removed } = await removedMember(other);
    for (const token of [left!.token, changed!.token, old!.token, removed]) {
      expect((await refresh(await aged(token, AN_HOUR))).body.error.code).toBe('invalid_api_key');
    }
  });

  /** Returns the token of a member who was removed after logging in. */
  async function removedMember(ownerToken: string): Promise<{ token: string }> {
    const email = 'removed@example.com';
    const member = { email, name: 'x', role: 'viewer' };
    const { id, password } = (await dashboard.post('members', member, ownerToken)).body;
    const { token } = (await dashboard.post('auth/login', { email, password })).body;
    expect((await dashboard.post(`members/${id}/delete`, undefined, ownerToken)).status).toBe(200);
    return { token };
  }

  test('that has expired and was tampered with is not refreshed', async () => {
    const { token } = await dashboard.register();
    const { token: others } = await dashboard.register();
    const [header, , signature] = (await aged(token, AN_HOUR)).split('.');
    const [, payload] = (await aged(others, AN_HOUR)).split('.');
    expect((await refresh(`${header}.${payload}.${signature}`)).status).toBe(401);
  });

  const sign = (change: (jwt: SignJWT) => SignJWT, header = {}, key = keys.current.privateKey) =>
    change(
      new SignJWT({ sid: 'x' })
        .setProtectedHeader({ alg: LOGIN_TOKEN.algorithm, kid: keys.current.id, ...header })
        .setSubject('x')
        .setJti('x')
        .setIssuedAt()
        .setIssuer(LOGIN_TOKEN.issuer)
        .setAudience(LOGIN_TOKEN.audience)
        .setExpirationTime('5 minutes'),
    ).sign(key);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test.each<[string, () => Promise<string> | string]>([
    ['no token', () => ''],
    ['a value that is not a JWT', () => 'abc'],
    ['a token of an unknown session', () => sign((jwt) => jwt)],
    ['an expired token', () => sign((jwt) => jwt.setExpirationTime('1 minute ago'))],
    ['a token for another audience', () => sign((jwt) => jwt.setAudience('others'))],
    ['a token of another issuer', () => sign((jwt) => jwt.setIssuer('others'))],
    ['a token with an unknown key id', () => sign((jwt) => jwt, { kid: 'unknown' })],
    [
      'a token signed by another key',
      () => sign((jwt) => jwt, {}, new SigningKeys([newSeed()]).current.privateKey),
    ],
    [
      'an unsigned token',
      () => `${part({ alg: 'none', kid: keys.current.id })}.${part({ sid: 'x', sub: 'x' })}.`,
    ],
    [
      'a token signed with the public key as a shared secret',
      () => {
        const input = `${part({ alg: 'HS256', kid: keys.current.id })}.${part({ sid: 'x', sub: 'x' })}`;
        const secret = keys.current.publicKey.export({ format: 'pem', type: 'spki' });
        return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
      },
    ],
  ])('rejects %s', async (_what, make) => {
    const answer = await dashboard.get('keys', await make());
    expect(answer.status).toBe(401);
    expect(answer.body.error).toMatchObject({ type: 'authentication_error', code: 'invalid_api_key' });
  });

  test('stays valid when the signing key is replaced, as long as the old key is listed', async () => {
    const { token } = await dashboard.register();
    const next = newSeed();
    const replaced = await startAnother({ JWT_SIGNING_KEY: `${next},${SEED}` });
    expect((await replaced.get('keys', token)).status).toBe(200);
    const { token: fresh } = await replaced.register();
    expect((await dashboard.get('keys', fresh)).status).toBe(401);
    const withdrawn = await startAnother({ JWT_SIGNING_KEY: next });
    expect((await withdrawn.get('keys', token)).status).toBe(401);
  });

  test('edge gets the public keys only', async () => {
    const { DashboardService } = loadService<ProtoGrpcType>('dashboard').gateway.dashboard.v1;
    const client = createGrpcClient(DashboardService, {
      addresses: [`127.0.0.1:${dashboard.ports.grpc}`],
      trust: sharedSecret('edge', SECRET),
    });
    try {
      const answer = await callUnary(client, client.GetSigningKeys, {}, { timeoutMs: 2_000 });
      const { keys: listed } = JSON.parse(answer!.jwksJson);
      expect(listed).toEqual([
        { kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: keys.current.id, use: 'sig', alg: 'EdDSA' },
      ]);
    } finally {
      client.close();
    }
  });
});

describe('first operator', () => {
  /** Otherwise no first operator is created. */
  const withoutOperators = () => world.database.query('UPDATE dashboard.users SET operator = false');

  test('is created as soon as billing responds, and is an operator', async () => {
    await withoutOperators();
    world.billing.failing.count = 2;
    const other = await startAnother({ ADMIN_EMAIL: 'second-operator@example.com' });
    expect(world.billing.failing.count).toBe(0);
    const login = await other.post('auth/login', { ...OPERATOR, email: 'second-operator@example.com' });
    const topup = await other.post('admin/topups/none/clear', undefined, login.body.token);
    expect(topup.body.error.code).toBe('not_found');
    expect(topup.status).toBe(404);
  });

  test('a user who registered with that email does not become an operator', async () => {
    await withoutOperators();
    const user = await dashboard.register();
    const other = await startAnother({ ADMIN_EMAIL: user.email });
    const login = await other.post('auth/login', { email: user.email, password: user.password });
    const answer = await other.post(
      `admin/accounts/${user.account.id}/topups`,
      { amount: 1, status: 'cleared' },
      login.body.token,
    );
    expect(answer.status).toBe(404);
  });

  test('a password that is too short prevents the start', async () => {
    await expect(startDashboard(world, { ADMIN_PASSWORD: 'short' })).rejects.toThrow('ADMIN_PASSWORD');
  });
});

describe('a new password', () => {
  const register = (email: string, password: string) =>
    dashboard.post('auth/register', { email, password, name: 'x' });

  test.each(['Password1', '12345678', 'qwertyuiop', 'iloveyou'])(
    'that is one of the most common is refused: %s',
    async (password) => {
      const { status, body } = await register('common@example.com', password);
      expect([status, body.error.code]).toEqual([400, 'invalid_request']);
      expect(body.error.detail).toBe('password: one of the most common passwords');
    },
  );

  test('equal to the email or its local part is refused, at registration and at a change', async () => {
    for (const password of ['Somebody@Example.com', 'somebody']) {
      const { body } = await register('somebody@example.com', password);
      expect(body.error.detail).toBe('password: the same as the email address');
    }
    const { token, email, password } = await dashboard.register();
    const changed = await dashboard.post('auth/password', { password, new_password: email }, token);
    expect([changed.status, changed.body.error.detail]).toEqual([
      400,
      'new_password: the same as the email address',
    ]);
  });
});
