import { randomBytes } from 'node:crypto';
import type { Caller } from '@gateway/callers';
import type { RunningService } from '@gateway/process';
import type { CreateProviderRequest } from '@gateway/proto/generated/gateway/catalog/v1/CreateProviderRequest';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import type { WatchProvidersResponse__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchProvidersResponse';
import { callUnary } from '@gateway/rpc';
import { openSecret, parseKeyEncryptionKeys } from '@gateway/secrets';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { reencryptCredentials } from './store/reencrypt-credentials';
import { type CatalogWorld, startCatalogWorld } from './testing/catalog-fixture';

jest.setTimeout(30_000);

const TIMEOUT = { timeoutMs: 5_000 };
const KEY = randomBytes(32).toString('base64');
const SECRET = 'sk-upstream-0123456789abcdef';
const NUL = '\0';

let world: CatalogWorld;
let instances: RunningService[];
let operator: ReturnType<CatalogWorld['connect']>;

/** An id that no other test uses, because all tests share two instances. */
let fresh: string;
let tests = 0;

beforeAll(async () => {
  world = await startCatalogWorld();
  const env = { CREDENTIALS_KEY: KEY };
  instances = [await world.startCatalog(undefined, env), await world.startCatalog(undefined, env)];
  operator = world.connect(instances[0]!, 'dashboard');
});
beforeEach(() => {
  tests += 1;
  fresh = `vllm-${tests}`;
});
afterAll(async () => {
  await world?.cleanUp();
  await world?.drop();
});

const provider = (more: CreateProviderRequest = {}): CreateProviderRequest => ({
  id: fresh,
  kind: 'openai',
  name: 'A vLLM server',
  baseUrl: 'http://10.0.0.1:8000/v1/',
  headers: { 'x-team': 'a' },
  credentials: [{ name: 'main', secret: { value: SECRET }, weight: 3 }],
  ...more,
});
const create = (request = provider()) => callUnary(operator, operator.CreateProvider, request, TIMEOUT);
const refusal = (detail: string | RegExp) =>
  expect.objectContaining({
    code: 'invalid_request',
    detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
  });

/** Returns the states that a service receives. */
function watchProviders(instance: RunningService, caller: Caller = 'chat') {
  const stream = world.connect(instance, caller).WatchProviders({});
  stream.on('error', () => {});
  const messages: AsyncIterator<WatchProvidersResponse__Output> = stream[Symbol.asyncIterator]();
  return {
    async nextWith(isWanted: (providers: Provider__Output[]) => boolean) {
      for (;;) {
        const { value } = (await messages.next()) as { value: WatchProvidersResponse__Output };
        if (isWanted(value.providers)) return value;
      }
    },
    close: () => stream.cancel(),
  };
}

test('a created provider is returned without its secret, and every instance pushes it with the encrypted secret', async () => {
  const watch = watchProviders(instances[1]!);
  const created = await create();
  expect(created).toMatchObject({
    id: fresh,
    kind: 'openai',
    name: 'A vLLM server',
    baseUrl: 'http://10.0.0.1:8000/v1',
    headers: { 'x-team': 'a' },
    enabled: true,
    credentials: [{ name: 'main', hint: '…cdef', weight: 3, enabled: true }],
  });
  expect(JSON.stringify(created)).not.toContain(SECRET);

  const update = await watch.nextWith((providers) => providers.some(({ id }) => id === fresh));
  const { id } = update.providers.find((one) => one.id === fresh)!.credentials[0]!;
  const { sealed } = update.secrets[id]!;
  expect(openSecret(parseKeyEncryptionKeys(KEY), sealed, id)).toBe(SECRET);
  watch.close();
});

test('no column of the database contains a secret in clear', async () => {
  await create();
  for (const table of ['providers', 'credentials']) {
    const { rows } = await world.query(`SELECT t::text AS text FROM catalog.${table} t`);
    for (const { text } of rows) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(Buffer.from(SECRET).toString('hex'));
    }
  }
});

test('a provider of videos has the default address of its kind, and the access key of its two keys is the hint', async () => {
  const keys = JSON.stringify({ access_key: 'AK-1', secret_key: SECRET });
  const credentials = [{ name: 'main', secret: { value: keys } }];
  const created = await create(provider({ kind: 'kling', baseUrl: '', optionsJson: '{}', credentials }));
  expect(created).toMatchObject({ kind: 'kling', baseUrl: '', credentials: [{ hint: 'AK-1' }] });
});

test("a cloud's account may be pasted as a file: it is stored on one line, and its name is the hint", async () => {
  const account = {
    type: 'service_account',
    client_email: 'a@b.iam',
    private_key: `-----\n${SECRET}\n-----`,
  };
  const pasted = { name: 'cloud', secret: { value: JSON.stringify(account, undefined, 2) } };
  const watch = watchProviders(instances[0]!);
  const created = await create(provider({ credentials: [pasted] }));
  expect(created.credentials).toMatchObject([{ name: 'cloud', hint: 'a@b.iam' }]);
  const update = await watch.nextWith((providers) => providers.some(({ id }) => id === fresh));
  const { id } = update.providers.find((one) => one.id === fresh)!.credentials[0]!;
  const { sealed } = update.secrets[id]!;
  expect(openSecret(parseKeyEncryptionKeys(KEY), sealed, id)).toBe(JSON.stringify(account));
  watch.close();
});

test.each(['edge', 'dashboard'] as const)('%s may not watch the secrets of providers', async (caller) => {
  const stream = world.connect(instances[0]!, caller).WatchProviders({});
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow(/UNAUTHENTICATED|PERMISSION_DENIED/);
});

test('limits of a credential are set one by one, and 0 removes one', async () => {
  const limits = { requestsPerMinute: 60, concurrency: 5 };
  const created = await create(
    provider({ credentials: [{ name: 'main', secret: { value: SECRET }, limits }] }),
  );
  expect(created.credentials).toMatchObject([{ limits: { requestsPerMinute: 60, concurrency: 5 } }]);
  const updated = await callUnary(
    operator,
    operator.UpdateCredential,
    {
      providerId: fresh,
      credentialId: created.credentials[0]!.id,
      limits: { tokensPerMinute: 9_000, concurrency: 0 },
    },
    TIMEOUT,
  );
  expect(updated.credentials[0]!.limits).toMatchObject({ requestsPerMinute: 60, tokensPerMinute: 9_000 });
  expect(updated.credentials[0]!.limits!.concurrency).toBeUndefined();
  const tooMuch = { limits: { concurrency: 1_000_000_001 }, name: 'a', secret: { value: SECRET } };
  const refused = create(provider({ id: `${fresh}-b`, credentials: [tooMuch] }));
  await expect(refused).rejects.toEqual(refusal('credentials[0].limits: must be at most 1000000000'));
});

test('a daily cost limit is exact, is kept by other changes, and 0 removes it', async () => {
  const limits = { costPerDayNano: '9007199254740993', concurrency: 5 };
  const created = await create(
    provider({ credentials: [{ name: 'main', secret: { value: SECRET }, limits }] }),
  );
  expect(created.credentials).toMatchObject([{ limits }]);
  const ids = { providerId: fresh, credentialId: created.credentials[0]!.id };
  const update = async (changes: object) => {
    const request = { ...ids, ...changes };
    return (await callUnary(operator, operator.UpdateCredential, request, TIMEOUT)).credentials[0]!.limits;
  };
  expect(await update({ weight: 2, limits: { concurrency: 6 } })).toMatchObject({
    ...limits,
    concurrency: 6,
  });
  expect((await update({ limits: { costPerDayNano: '0' } }))!.costPerDayNano).toBeUndefined();
  for (const costPerDayNano of ['-1', '1000000000000000001']) {
    await expect(update({ limits: { costPerDayNano } })).rejects.toEqual(
      refusal('limits: the cost per day must be at most 1000000000 USD'),
    );
  }
});

test('secrets that do not fit into one message together are refused', async () => {
  const secret = { value: 'x'.repeat(16 * 1024) };
  const credentials = Array.from({ length: 50 }, (_, at) => ({ name: `key ${at}`, secret }));
  let made = 0;
  const fill = async () => {
    for (; made < 20; made++) await create(provider({ id: `${fresh}-${made}`, credentials }));
  };
  await expect(fill()).rejects.toEqual(
    refusal('the secrets of all providers are too large together: use secret_ref'),
  );
  expect(made).toBeGreaterThan(10);
  const reference = { name: 'main', secret: { reference: 'env:CREDENTIAL_A' } };
  await create(provider({ credentials: [reference] }));
  for (let at = 0; at < made; at++) {
    await callUnary(operator, operator.DeleteProvider, { id: `${fresh}-${at}` }, TIMEOUT);
  }
});

test('an update replaces name, address and headers, and keeps kind and credentials', async () => {
  await create();
  const updated = await callUnary(
    operator,
    operator.UpdateProvider,
    { id: fresh, name: 'Renamed', baseUrl: 'https://vllm.example.com/v1', headers: {}, enabled: false },
    TIMEOUT,
  );
  expect(updated).toMatchObject({
    kind: 'openai',
    name: 'Renamed',
    baseUrl: 'https://vllm.example.com/v1',
    headers: {},
    enabled: false,
    credentials: [{ name: 'main' }],
  });
});

test('a rotated secret replaces the previous one under the same credential id', async () => {
  const { credentials } = (await create())!;
  const { id } = credentials[0]!;
  const changed = await callUnary(
    operator,
    operator.UpdateCredential,
    { providerId: fresh, credentialId: id, secret: { value: 'sk-upstream-next-00009999' } },
    TIMEOUT,
  );
  expect(changed?.credentials).toMatchObject([{ id, name: 'main', hint: '…9999', weight: 3 }]);
  const watch = watchProviders(instances[0]!);
  const { secrets } = await watch.nextWith(() => true);
  expect(openSecret(parseKeyEncryptionKeys(KEY), secrets[id]!.sealed, id)).toBe('sk-upstream-next-00009999');
  watch.close();
});

test('the key of a service account is accepted with the line breaks of its file', async () => {
  const key = { type: 'service_account', private_key: '-----BEGIN PRIVATE KEY-----\nAA\n' };
  const { credentials } = (await create(
    provider({
      kind: 'vertex',
      baseUrl: '',
      optionsJson: '{"project":"p","location":"eu"}',
      credentials: [{ name: 'main', secret: { value: JSON.stringify(key, undefined, 2) } }],
    }),
  ))!;
  const watch = watchProviders(instances[0]!);
  const { secrets } = await watch.nextWith(() => true);
  const { id } = credentials[0]!;
  const stored = openSecret(parseKeyEncryptionKeys(KEY), secrets[id]!.sealed, id);
  expect(JSON.parse(stored)).toEqual(key);
  watch.close();
});

test('a credential can be added, reweighted, disabled and deleted', async () => {
  await create();
  const added = await callUnary(
    operator,
    operator.CreateCredential,
    { providerId: fresh, credential: { name: 'second', secret: { reference: 'env:CREDENTIAL_SECOND' } } },
    TIMEOUT,
  );
  const second = added!.credentials.find(({ name }) => name === 'second')!;
  expect(second).toMatchObject({ hint: 'env:CREDENTIAL_SECOND', weight: 1, enabled: true });
  const ids = { providerId: fresh, credentialId: second.id };
  const disabled = await callUnary(
    operator,
    operator.UpdateCredential,
    { ...ids, weight: 0, enabled: false },
    TIMEOUT,
  );
  expect(disabled?.credentials.find(({ id }) => id === second.id)).toMatchObject({
    weight: 0,
    enabled: false,
    hint: 'env:CREDENTIAL_SECOND',
  });
  await callUnary(operator, operator.DeleteCredential, ids, TIMEOUT);
  await callUnary(operator, operator.DeleteCredential, ids, TIMEOUT);
  const { providers } = (await callUnary(operator, operator.ListProviders, {}, TIMEOUT))!;
  expect(providers.find(({ id }) => id === fresh)?.credentials.map(({ name }) => name)).toEqual(['main']);
});

test('deleting a provider deletes its credentials, and deleting it again succeeds', async () => {
  const { credentials } = (await create())!;
  await callUnary(operator, operator.DeleteProvider, { id: fresh }, TIMEOUT);
  await callUnary(operator, operator.DeleteProvider, { id: fresh }, TIMEOUT);
  const { rows } = await world.query('SELECT 1 FROM catalog.credentials WHERE id = $1', [credentials[0]!.id]);
  expect(rows).toEqual([]);
});

test('a provider without credentials is allowed: local servers need none', async () => {
  expect(await create(provider({ credentials: [] }))).toMatchObject({ credentials: [] });
});

test('a provider with a preset needs no base URL', async () => {
  const groq = await create(provider({ baseUrl: '', optionsJson: '{"preset":"groq"}' }));
  expect(groq).toMatchObject({ baseUrl: '', optionsJson: '{"preset":"groq"}' });
});

test('two operators who create the same provider at once get one provider and one refusal', async () => {
  const results = await Promise.allSettled([create(), create()]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

describe('a provider is refused', () => {
  test.each<[string, CreateProviderRequest, string | RegExp]>([
    ['with an id in upper case', { id: 'vLLM' }, /^id: must be/],
    ['with NUL in its id', { id: `a${NUL}` }, /^id: must be/],
    ['of an unknown kind', { kind: 'telnet' }, /^kind: must be one of openai, anthropic, /],
    ['with a name of 101 characters', { name: 'x'.repeat(101) }, /^name: /],
    ['with a URL of another protocol', { baseUrl: 'ftp://h' }, 'base_url: must be an http or https URL'],
    ['with an unknown option', { optionsJson: '{"regoin":"a"}' }, /^options: .*regoin/],
    [
      'with an unknown preset',
      { optionsJson: '{"preset":"nowhere"}' },
      'options.preset: unknown for kind openai',
    ],
    [
      'with a quirk of the wrong type',
      { optionsJson: '{"quirks":{"max_temperature":"1"}}' },
      /^options\.quirks\.max_temperature: /,
    ],
    [
      'without a base URL, if that of its preset has placeholders',
      { baseUrl: '', optionsJson: '{"preset":"databricks"}' },
      'base_url: is required',
    ],
    ['with options that are no object', { optionsJson: '[]' }, 'options: must be a JSON object'],
    ['with a URL of a file', { baseUrl: 'file:///etc/passwd' }, 'base_url: must be an http or https URL'],
    [
      'with credentials in its URL',
      { baseUrl: 'https://a:b@h/v1' },
      'base_url: must not contain credentials',
    ],
    [
      'with a query in its URL',
      { baseUrl: 'https://h/v1?key=1' },
      'base_url: must not have a query or fragment',
    ],
    ...['http://127.0.0.1:11434/v1', 'http://0x7f.1/v1', 'http://[::1]/v1', 'http://api.localhost/v1'].map(
      (baseUrl): [string, CreateProviderRequest, string] => [
        `with a loopback address: ${baseUrl}`,
        { baseUrl },
        'base_url: must not be a loopback or metadata address',
      ],
    ),
    [
      "with the address of a cloud's metadata",
      { baseUrl: 'http://169.254.169.254/latest' },
      'base_url: must not be a loopback or metadata address',
    ],
    [
      'with a loopback address as its proxy',
      { optionsJson: '{"proxy":"http://localhost:3128"}' },
      'options.proxy: must not be a loopback or metadata address',
    ],
    [
      'with an authorization header',
      { headers: { authorization: 'Bearer x' } },
      'headers: authorization is set by the gateway',
    ],
    ['with a header name that is not one', { headers: { 'a b': 'x' } }, /^headers: names/],
    ['with a line break in a header', { headers: { 'x-a': 'a\r\nb' } }, /^headers: the value of x-a/],
    [
      'with an unnamed credential',
      { credentials: [{ secret: { value: SECRET } }] },
      /^credentials\[0\]\.name: /,
    ],
    [
      'with a credential without a secret',
      { credentials: [{ name: 'a' }] },
      'credentials[0]: exactly one of secret and secret_ref is required',
    ],
    [
      'with a secret and a reference',
      { credentials: [{ name: 'a', secret: { value: SECRET, reference: 'env:CREDENTIAL_A' } }] },
      'credentials[0]: exactly one of secret and secret_ref is required',
    ],
    [
      'with a reference to another variable',
      { credentials: [{ name: 'a', secret: { reference: 'env:SERVICE_SECRET' } }] },
      'credentials[0]: secret_ref must be env:CREDENTIAL_<NAME> or file:<name>',
    ],
    [
      'with a reference to a file in another folder',
      { credentials: [{ name: 'a', secret: { reference: 'file:../service-secret' } }] },
      'credentials[0]: secret_ref must be env:CREDENTIAL_<NAME> or file:<name>',
    ],
    [
      'with a line break in its secret',
      { credentials: [{ name: 'a', secret: { value: 'sk-a\nsk-b' } }] },
      /^credentials\[0\]: the secret must be/,
    ],
    [
      'with two credentials of one name',
      { credentials: [1, 2].map(() => ({ name: 'a', secret: { value: SECRET } })) },
      'credentials[1].name: is used twice',
    ],
    [
      'with a weight above a million',
      { credentials: [{ name: 'a', secret: { value: SECRET }, weight: 1_000_001 }] },
      /^credentials\[0\]\.weight: /,
    ],
  ])('%s', async (_what, change, detail) => {
    await expect(create(provider(change))).rejects.toEqual(refusal(detail));
    const { providers } = (await callUnary(operator, operator.ListProviders, {}, TIMEOUT))!;
    expect(providers.map(({ id }) => id)).not.toContain(fresh);
  });

  test('if its id exists', async () => {
    await create();
    await expect(create()).rejects.toEqual(refusal(`id: ${fresh} already exists`));
  });
});

test('no refusal contains the secret', async () => {
  const error = await create(
    provider({ credentials: [{ name: 'a', secret: { value: `${SECRET}\n${'x'.repeat(20_000)}` } }] }),
  ).catch((thrown) => thrown);
  expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain(SECRET);
});

test.each([
  ['UpdateProvider', () => operator.UpdateProvider, () => ({ id: 'nowhere', baseUrl: 'http://h' })],
  [
    'CreateCredential',
    () => operator.CreateCredential,
    () => ({ providerId: 'nowhere', credential: { name: 'a', secret: { value: SECRET } } }),
  ],
  ['UpdateCredential', () => operator.UpdateCredential, () => ({ providerId: NUL, credentialId: 'x' })],
] as const)('%s of an unknown provider is not_found', async (_name, method, request) => {
  // biome-ignore lint/suspicious/noExplicitAny: the methods have different types.
  const call = callUnary(operator, method() as any, request() as any, TIMEOUT);
  await expect(call).rejects.toEqual(expect.objectContaining({ code: 'not_found' }));
});

test('without CREDENTIALS_KEY only references are accepted', async () => {
  const keyless = world.connect(await world.startCatalog(), 'dashboard');
  const createAt = (request: CreateProviderRequest) =>
    callUnary(keyless, keyless.CreateProvider, request, TIMEOUT);
  await expect(createAt(provider())).rejects.toEqual(
    refusal("credentials[0]: secrets can't be stored without CREDENTIALS_KEY; use secret_ref"),
  );
  const credentials = [{ name: 'a', secret: { reference: 'file:vllm-key' } }];
  expect(await createAt(provider({ credentials }))).toMatchObject({
    credentials: [{ hint: 'file:vllm-key' }],
  });
});

test('an invalid CREDENTIALS_KEY stops the start without repeating its value', async () => {
  const start = world.startCatalog(undefined, { CREDENTIALS_KEY: 'my-passphrase' });
  await expect(start).rejects.toThrow(/CREDENTIALS_KEY: entry 1 is not 32 bytes in base64/);
  await expect(start).rejects.not.toThrow(/my-passphrase/);
});

test('re-encryption makes every credential independent of the old key', async () => {
  const { credentials } = (await create())!;
  const { id } = credentials[0]!;
  const next = randomBytes(32).toString('base64');
  const pool = world.openPool();
  const keys = parseKeyEncryptionKeys(`${next},${KEY}`);
  expect(await reencryptCredentials(pool, keys)).toBeGreaterThan(0);
  expect(await reencryptCredentials(pool, keys)).toBe(0);
  const { rows } = await world.query('SELECT sealed_secret FROM catalog.credentials WHERE id = $1', [id]);
  expect(openSecret(parseKeyEncryptionKeys(next), rows[0].sealed_secret, id)).toBe(SECRET);
  // The other tests' instances have the old key.
  await reencryptCredentials(pool, parseKeyEncryptionKeys(`${KEY},${next}`));
});

test('re-encryption without the key of a credential changes nothing', async () => {
  await create();
  const pool = world.openPool();
  const before = await world.query('SELECT id, sealed_secret FROM catalog.credentials ORDER BY id');
  const keys = parseKeyEncryptionKeys(randomBytes(32).toString('base64'));
  await expect(reencryptCredentials(pool, keys)).rejects.toThrow(/no key-encryption key with id/);
  const after = await world.query('SELECT id, sealed_secret FROM catalog.credentials ORDER BY id');
  expect(after.rows).toEqual(before.rows);
});
