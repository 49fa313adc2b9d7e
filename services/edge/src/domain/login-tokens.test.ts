import { LOGIN_TOKEN } from '@gateway/public-http';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JSONWebKeySet,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { LoginTokens } from './login-tokens';

interface Signer {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

let first: Signer;
let second: Signer;
let published: JSONWebKeySet;
let fetches: number;
let failing: boolean;
let nowMs: number;
let tokens: LoginTokens;

async function signer(kid: string): Promise<Signer> {
  return { kid, ...(await generateKeyPair(LOGIN_TOKEN.algorithm, { extractable: true })) };
}

async function publish(...signers: Signer[]): Promise<void> {
  const keys = await Promise.all(
    signers.map(async ({ kid, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      kid,
      alg: LOGIN_TOKEN.algorithm,
    })),
  );
  published = { keys };
}

beforeAll(async () => {
  first = await signer('first');
  second = await signer('second');
});

beforeEach(async () => {
  await publish(first);
  fetches = 0;
  failing = false;
  nowMs = Date.now();
  tokens = new LoginTokens({
    fetchKeys: async () => {
      fetches += 1;
      if (failing) throw new Error('no connection');
      return published;
    },
    minRefetchMs: 3_000,
    maxAgeMs: 300_000,
    now: () => nowMs,
  });
});

function sign(by: Signer, claims: JWTPayload = {}, lifetimeSeconds = 60): Promise<string> {
  const nowSeconds = Math.floor(nowMs / 1_000);
  return new SignJWT({
    sub: 'user',
    iss: LOGIN_TOKEN.issuer,
    aud: LOGIN_TOKEN.audience,
    iat: nowSeconds,
    exp: nowSeconds + lifetimeSeconds,
    ...claims,
  })
    .setProtectedHeader({ alg: LOGIN_TOKEN.algorithm, kid: by.kid })
    .sign(by.privateKey);
}

describe('a login token', () => {
  test('is accepted if valid; the signing keys are fetched once', async () => {
    await Promise.all([tokens.verify(await sign(first)), tokens.verify(await sign(first))]);
    await tokens.verify(await sign(first));
    expect(fetches).toBe(1);
  });

  test.each<[string, () => Promise<string>]>([
    ['a value that is not a JWT', async () => 'x'],
    ['another issuer', () => sign(first, { iss: 'else' })],
    ['another audience', () => sign(first, { aud: 'else' })],
    ['no subject', () => sign(first, { sub: undefined as never })],
    ['no expiry', () => sign(first, { exp: undefined as never })],
    ['an expiry in the past', () => sign(first, {}, -1)],
    ['a changed payload', async () => (await sign(first)).replace(/\.[^.]+\./, '.e30.')],
    [
      'no signature and algorithm none',
      async () => {
        const [, payload] = (await sign(first)).split('.');
        return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
      },
    ],
    [
      'an HMAC signature keyed with the public key',
      async () => {
        const secret = Buffer.from(await exportSPKI(first.publicKey));
        return new SignJWT({ sub: 'user' })
          .setProtectedHeader({ alg: 'HS256', kid: 'first' })
          .setIssuer(LOGIN_TOKEN.issuer)
          .setAudience(LOGIN_TOKEN.audience)
          .setExpirationTime('5m')
          .sign(secret);
      },
    ],
    ['the signature of an unknown key under a known key id', () => sign({ ...second, kid: 'first' })],
    ['the signature of an unknown key', () => sign(second)],
  ])('with %s is rejected', async (_what, make) => {
    await expect(tokens.verify(await make())).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('a token to be renewed', () => {
  const renewable = { maxExpiredSeconds: 3_600 };

  test('is accepted for a limited time after it expired', async () => {
    const ended = await sign(first, {}, -3_599);
    expect(await tokens.verify(ended, renewable)).toBe('user');
    await expect(tokens.verify(ended)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  test.each<[string, () => Promise<string>]>([
    ['expired for longer', () => sign(first, {}, -3_601)],
    ['without an expiry', () => sign(first, { exp: undefined as never })],
    ['expired and for another audience', () => sign(first, { aud: 'else' }, -1)],
    ['expired and signed with an unknown key', () => sign({ ...second, kid: 'first' }, {}, -1)],
    [
      'expired and has a changed payload',
      async () => (await sign(first, {}, -1)).replace(/\.[^.]+\./, '.e30.'),
    ],
  ])('that is %s is rejected', async (_what, make) => {
    await expect(tokens.verify(await make(), renewable)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('the signing keys', () => {
  test('are fetched again for an unknown key id, at a limited rate', async () => {
    await tokens.verify(await sign(first));
    nowMs += 3_000;
    for (let time = 0; time < 5; time++) {
      await expect(tokens.verify(await sign(second))).rejects.toMatchObject({ code: 'invalid_api_key' });
    }
    expect(fetches).toBe(2);
    await publish(first, second);
    nowMs += 3_000;
    await tokens.verify(await sign(second));
    expect(fetches).toBe(3);
  });

  test('are rejected some time after they were withdrawn', async () => {
    await tokens.verify(await sign(first));
    await publish(second);
    nowMs += 300_000;
    await expect(tokens.verify(await sign(first))).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  test('stay valid while the dashboard is down; without any keys the result is internal_error', async () => {
    failing = true;
    await expect(tokens.verify(await sign(first))).rejects.toMatchObject({ code: 'internal_error' });
    failing = false;
    await tokens.verify(await sign(first));
    failing = true;
    nowMs += 300_000;
    await tokens.verify(await sign(first));
    expect(fetches).toBe(3);
  });
});
