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

describe('a token', () => {
  test('that is good passes, with one fetch of keys for many', async () => {
    await Promise.all([tokens.verify(await sign(first)), tokens.verify(await sign(first))]);
    await tokens.verify(await sign(first));
    expect(fetches).toBe(1);
  });

  test.each<[string, () => Promise<string>]>([
    ['no token at all', async () => 'x'],
    ['another issuer', () => sign(first, { iss: 'else' })],
    ['another audience', () => sign(first, { aud: 'else' })],
    ['no subject', () => sign(first, { sub: undefined as never })],
    ['no end', () => sign(first, { exp: undefined as never })],
    ['an end in the past', () => sign(first, {}, -1)],
    ['a changed payload', async () => (await sign(first)).replace(/\.[^.]+\./, '.e30.')],
    [
      'no signature, by algorithm none',
      async () => {
        const [, payload] = (await sign(first)).split('.');
        return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
      },
    ],
    [
      'a secret made of the public key',
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
    ['a stranger under a known name', () => sign({ ...second, kid: 'first' })],
    ['a stranger', () => sign(second)],
  ])('with %s is refused', async (_what, make) => {
    await expect(tokens.verify(await make())).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('for a renewal', () => {
  const renewable = { endedForSeconds: 3_600 };

  test('a token passes for a while after its end', async () => {
    const ended = await sign(first, {}, -3_599);
    expect(await tokens.verify(ended, renewable)).toBe('user');
    await expect(tokens.verify(ended)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  test.each<[string, () => Promise<string>]>([
    ['one that ended before', () => sign(first, {}, -3_601)],
    ['one without an end', () => sign(first, { exp: undefined as never })],
    ['an ended one for others', () => sign(first, { aud: 'else' }, -1)],
    ['an ended one of a stranger', () => sign({ ...second, kid: 'first' }, {}, -1)],
    [
      'an ended one with a changed payload',
      async () => (await sign(first, {}, -1)).replace(/\.[^.]+\./, '.e30.'),
    ],
  ])('%s is refused', async (_what, make) => {
    await expect(tokens.verify(await make(), renewable)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('keys', () => {
  test('are asked for anew when a token names an unknown one, but not at a stranger’s pace', async () => {
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

  test('that are withdrawn end after a time', async () => {
    await tokens.verify(await sign(first));
    await publish(second);
    nowMs += 300_000;
    await expect(tokens.verify(await sign(first))).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  test('that are known serve on while the dashboard is away; without any it can’t be told', async () => {
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
