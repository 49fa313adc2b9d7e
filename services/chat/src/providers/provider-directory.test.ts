import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '@gateway/process';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import { Quota } from '@gateway/quota';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { providerOf } from '../domain/route.fixture';
import { ProviderDirectory } from './provider-directory';

const REFRESH_MS = 5_000;
const CALL = { upstreamModel: 'm', stream: false, callerHeaders: {}, body: Buffer.alloc(0) };

let folder: string;
let changed: string[];
let directory: ProviderDirectory;

beforeEach(() => {
  jest.useFakeTimers();
  folder = mkdtempSync(path.join(tmpdir(), 'gateway-credentials-'));
  changed = [];
  directory = new ProviderDirectory({
    environment: new Map([['openai', providerOf('openai')]]),
    secrets: {
      keys: undefined,
      env: { CREDENTIAL_A: 'sk-a', CREDENTIAL_B: 'sk-b', CREDENTIAL_JSON: '{"access_key_id":"A"}' },
      directory: folder,
    },
    bufferQuota: new Quota({ limit: 0 }),
    log: createLogger('test', 'silent'),
    onCredentialChanged: (provider, credential) => changed.push(`${provider} ${credential}`),
  });
});
afterEach(async () => {
  jest.useRealTimers();
  await directory.close();
  rmSync(folder, { recursive: true });
});

interface GivenCredential {
  readonly id: string;
  readonly enabled?: boolean;
}

const provider = (credentials: readonly GivenCredential[], more: Partial<Provider__Output> = {}) =>
  ({
    id: 'vllm',
    kind: 'openai',
    name: 'vLLM',
    baseUrl: 'http://10.0.0.1:8000/v1',
    headers: { 'x-team': 'a' },
    optionsJson: '',
    enabled: true,
    createdAtMs: '0',
    credentials: credentials.map(({ id, enabled = true }) => ({
      id,
      name: `key ${id}`,
      hint: '',
      weight: 1,
      enabled,
      limits: null,
      createdAtMs: '0',
    })),
    ...more,
  }) satisfies Provider__Output;

const refer = (references: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(references).map(([id, reference]) => [id, { sealed: Buffer.alloc(0), reference }]),
  );

/** Returns the headers of a call with each account. */
const headersOf = (id: string) =>
  Promise.all(
    directory.accountsOf(id).map(async ({ provider: { address } }) => (await address(CALL)).headers),
  );

test('providers of the settings are there before the catalog has been received', async () => {
  expect(directory.loaded).toBe(false);
  expect(directory.accountsOf('openai')).toMatchObject([{ credential: { id: 'environment' } }]);
  directory.replace([], {});
  expect(directory.loaded).toBe(true);
  expect([...directory.ids()]).toEqual(['openai']);
});

test('a provider of the catalog has an account per credential, with its secret and the headers of the provider', async () => {
  directory.replace(
    [provider([{ id: '1' }, { id: '2' }])],
    refer({ 1: 'env:CREDENTIAL_A', 2: 'env:CREDENTIAL_B' }),
  );
  expect(directory.accountsOf('vllm').map(({ credential }) => credential.name)).toEqual(['key 1', 'key 2']);
  expect(await headersOf('vllm')).toMatchObject([
    { authorization: 'Bearer sk-a', 'x-team': 'a' },
    { authorization: 'Bearer sk-b', 'x-team': 'a' },
  ]);
});

test('disabled credentials and those without a usable secret are not used', async () => {
  directory.replace(
    [provider([{ id: '1', enabled: false }, { id: '2' }, { id: '3' }])],
    refer({ 1: 'env:CREDENTIAL_A', 2: 'env:CREDENTIAL_B', 3: 'env:CREDENTIAL_MISSING' }),
  );
  expect(directory.accountsOf('vllm').map(({ credential }) => credential.id)).toEqual(['2']);
});

test('a provider of the catalog replaces that of the settings with its id, even when it is disabled', async () => {
  const own = provider([{ id: '1' }], { id: 'openai' });
  directory.replace([own], refer({ 1: 'env:CREDENTIAL_A' }));
  expect(await headersOf('openai')).toMatchObject([{ authorization: 'Bearer sk-a' }]);
  directory.replace([{ ...own, enabled: false }], refer({ 1: 'env:CREDENTIAL_A' }));
  expect(directory.has('openai')).toBe(false);
  directory.replace([], {});
  expect(directory.has('openai')).toBe(true);
});

test('a credential that is not of the form of its kind is not used', () => {
  const bedrock = provider([{ id: '1' }, { id: '2' }], {
    kind: 'bedrock',
    baseUrl: '',
    optionsJson: '{"region":"eu-west-1"}',
  });
  directory.replace([bedrock], refer({ 1: 'env:CREDENTIAL_A', 2: 'env:CREDENTIAL_JSON' }));
  expect(directory.accountsOf('vllm').map(({ credential }) => credential.id)).toEqual(['1']);
});

test('a provider without an address of its own has that of its kind, by its options', async () => {
  const bedrock = { kind: 'bedrock', baseUrl: '', optionsJson: '{"region":"eu-west-1"}' };
  directory.replace([provider([{ id: '1' }], bedrock)], refer({ 1: 'env:CREDENTIAL_A' }));
  const { url } = await directory.accountsOf('vllm')[0]!.provider.address(CALL);
  expect(url.href).toBe('https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse');
});

test('a provider of an unknown kind is not served', async () => {
  directory.replace([provider([{ id: '1' }], { kind: 'toString' })], refer({ 1: 'env:CREDENTIAL_A' }));
  expect(directory.has('vllm')).toBe(false);
});

test('a compatible server without credentials is called without authentication; other kinds need a credential', async () => {
  directory.replace([provider([]), provider([], { id: 'claude', kind: 'anthropic' })], {});
  expect((await headersOf('vllm'))[0]).not.toHaveProperty('authorization');
  expect(directory.has('claude')).toBe(false);
});

test('a changed file is used within seconds, and reported as a changed secret', async () => {
  const file = path.join(folder, 'key');
  writeFileSync(file, 'sk-old');
  directory.replace([provider([{ id: '1' }])], refer({ 1: 'file:key' }));
  expect(await headersOf('vllm')).toMatchObject([{ authorization: 'Bearer sk-old' }]);
  writeFileSync(file, 'sk-new');
  await jest.advanceTimersByTimeAsync(REFRESH_MS);
  expect(await headersOf('vllm')).toMatchObject([{ authorization: 'Bearer sk-new' }]);
  expect(changed).toEqual(['vllm 1']);
  await jest.advanceTimersByTimeAsync(REFRESH_MS);
  expect(changed).toEqual(['vllm 1']);
});

test('a provider without a base URL of its own has the one of its kind', async () => {
  directory.replace([provider([{ id: 'a' }], { baseUrl: '' })], refer({ a: 'env:CREDENTIAL_A' }));
  const { address } = directory.accountsOf('vllm')[0]!.provider;
  expect((await address(CALL)).url.href).toBe('https://api.openai.com/v1/chat/completions');
});

test('a provider that cannot be connected has no accounts, and the others have theirs', () => {
  const broken = provider([{ id: 'a' }], { baseUrl: 'nonsense' });
  const secrets = refer({ a: 'env:CREDENTIAL_A', b: 'env:CREDENTIAL_B' });
  directory.replace([broken, provider([{ id: 'b' }], { id: 'other' })], secrets);
  expect([...directory.ids()]).toEqual(['openai', 'other']);
});

test('a provider with a preset has its base URL and its quirks', async () => {
  const groq = provider([{ id: 'a' }], { baseUrl: '', optionsJson: '{"preset":"groq"}' });
  directory.replace([groq], refer({ a: 'env:CREDENTIAL_A' }));
  const [account] = directory.accountsOf('vllm');
  expect((await account!.provider.address(CALL)).url.href).toBe(
    'https://api.groq.com/openai/v1/chat/completions',
  );
  expect(account!.provider.maxTokensField).toBe('max_completion_tokens');
});

test('a provider with a preset of a later version has no accounts, because its usage could be misread', () => {
  const later = provider([{ id: 'a' }], { optionsJson: '{"preset":"later"}' });
  directory.replace([later], refer({ a: 'env:CREDENTIAL_A' }));
  expect(directory.has('vllm')).toBe(false);
});

test('a credential whose secret does not have the form of its kind is not used, unlike the others', async () => {
  writeFileSync(path.join(folder, 'account'), '{"type":"authorized_user"}');
  const options = { kind: 'vertex', optionsJson: '{"project":"p"}', baseUrl: '' };
  directory.replace(
    [provider([{ id: 'a' }, { id: 'b' }], options)],
    refer({ a: 'file:account', b: 'env:CREDENTIAL_B' }),
  );
  expect(directory.accountsOf('vllm')).toMatchObject([{ credential: { id: 'b' } }]);
  const [account] = directory.accountsOf('vllm');
  expect((await account!.provider.address(CALL)).url.origin).toBe('https://aiplatform.googleapis.com');
});

test('a credential has its limits, and none if they are zero', () => {
  const { credentials, ...rest } = provider([{ id: 'a' }, { id: 'b' }]);
  const [first, second] = credentials;
  const limited = [
    { ...first!, limits: { requestsPerMinute: 60, tokensPerMinute: 0 } },
    { ...second!, limits: { concurrency: 0 } },
  ];
  const secrets = refer({ a: 'env:CREDENTIAL_A', b: 'env:CREDENTIAL_B' });
  directory.replace([{ ...rest, credentials: limited as Provider__Output['credentials'] }], secrets);
  const [a, b] = directory.accountsOf('vllm');
  expect(a!.credential.limits).toMatchObject({ requestsPerMinute: 60 });
  expect(a!.credential.limits!.tokensPerMinute).toBeUndefined();
  expect(b!.credential.limits).toBeUndefined();
});

test('a change of one provider keeps what the others have connected, with their tokens', () => {
  const other = provider([{ id: 'b' }], { id: 'other' });
  const secrets = refer({ a: 'env:CREDENTIAL_A', b: 'env:CREDENTIAL_B' });
  directory.replace([provider([{ id: 'a' }]), other], secrets);
  const [kept] = directory.accountsOf('other');
  directory.replace([provider([{ id: 'a' }], { headers: {} }), other], secrets);
  expect(directory.accountsOf('other')[0]!.provider).toBe(kept!.provider);
  expect(changed).toEqual([]);
});

test('a disabled credential with a file does not make the others connect again', () => {
  writeFileSync(path.join(folder, 'key'), 'sk-file');
  const secrets = refer({ a: 'env:CREDENTIAL_A', b: 'file:key' });
  directory.replace([provider([{ id: 'a' }, { id: 'b', enabled: false }])], secrets);
  const before = directory.accountsOf('vllm');
  jest.advanceTimersByTime(3 * REFRESH_MS);
  expect(directory.accountsOf('vllm')).toBe(before);
});

test('a file that is missing at first is used when it is there', () => {
  directory.replace([provider([{ id: 'a' }])], refer({ a: 'file:late' }));
  expect(directory.has('vllm')).toBe(false);
  writeFileSync(path.join(folder, 'late'), 'sk-late');
  jest.advanceTimersByTime(REFRESH_MS);
  expect(directory.has('vllm')).toBe(true);
});

test('a deleted credential and those of a deleted provider are reported', () => {
  const secrets = refer({ a: 'env:CREDENTIAL_A', b: 'env:CREDENTIAL_B' });
  directory.replace([provider([{ id: 'a' }, { id: 'b' }])], secrets);
  directory.replace([provider([{ id: 'b' }])], secrets);
  expect(changed).toEqual(['vllm a']);
  directory.replace([], {});
  expect(changed).toEqual(['vllm a', 'vllm b']);
});

test('options that are no JSON leave the other providers usable', () => {
  const broken = provider([{ id: 'a' }], { optionsJson: '{' });
  const secrets = refer({ a: 'env:CREDENTIAL_A', b: 'env:CREDENTIAL_B' });
  directory.replace([broken, provider([{ id: 'b' }], { id: 'other' })], secrets);
  expect([...directory.ids()]).toEqual(['openai', 'other']);
});

test('a provider has its timeouts and its proxy, whatever its kind', () => {
  const optionsJson = JSON.stringify({
    region: 'us-east-1',
    timeouts: { connect_ms: 500 },
    proxy: 'http://10.0.0.9:3128',
  });
  const options = { kind: 'bedrock', baseUrl: '', optionsJson };
  directory.replace([provider([{ id: 'a' }], options)], refer({ a: 'env:CREDENTIAL_A' }));
  expect(directory.accountsOf('vllm')[0]!.provider.connection).toMatchObject({
    connectMs: 500,
    proxy: 'http://10.0.0.9:3128',
  });
});
