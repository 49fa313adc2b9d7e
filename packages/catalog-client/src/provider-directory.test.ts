import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '@gateway/process';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type ProviderAccess, ProviderDirectory } from './provider-directory';

const REFRESH_MS = 5_000;

/** A provider that is nothing but its access. */
interface Plain extends Partial<ProviderAccess> {
  readonly id: string;
}

/** Kinds that the service of these tests serves. */
const SERVED = new Set(['openai', 'bedrock', 'anthropic']);

function connect(access: ProviderAccess): Plain {
  if (access.apiKey.startsWith('{')) throw new Error('not of the form of its kind');
  return { ...access };
}

let folder: string;
let changed: string[];
let directory: ProviderDirectory<Plain>;

beforeEach(() => {
  jest.useFakeTimers();
  folder = mkdtempSync(path.join(tmpdir(), 'gateway-credentials-'));
  changed = [];
  directory = new ProviderDirectory({
    environment: new Map([['openai', { id: 'openai' }]]),
    secrets: {
      keys: undefined,
      env: { CREDENTIAL_A: 'sk-a', CREDENTIAL_B: 'sk-b', CREDENTIAL_JSON: '{"access_key_id":"A"}' },
      directory: folder,
    },
    connectorOf: (kind) => (SERVED.has(kind) ? connect : undefined),
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

const keysOf = (id: string) => directory.accountsOf(id).map(({ provider: { apiKey } }) => apiKey);

test('providers of the settings are there before the catalog has been received', async () => {
  expect(directory.loaded).toBe(false);
  expect(directory.accountsOf('openai')).toMatchObject([{ credential: { id: 'environment' } }]);
  directory.replace([], {});
  expect(directory.loaded).toBe(true);
  expect([...directory.ids()]).toEqual(['openai']);
});

test('a provider of the catalog has an account per credential, with its secret and the headers of the provider', () => {
  directory.replace(
    [provider([{ id: '1' }, { id: '2' }])],
    refer({ 1: 'env:CREDENTIAL_A', 2: 'env:CREDENTIAL_B' }),
  );
  expect(directory.accountsOf('vllm').map(({ credential }) => credential.name)).toEqual(['key 1', 'key 2']);
  expect(directory.accountsOf('vllm').map(({ provider: one }) => one)).toMatchObject([
    { apiKey: 'sk-a', headers: { 'x-team': 'a' }, baseUrl: 'http://10.0.0.1:8000/v1' },
    { apiKey: 'sk-b', headers: { 'x-team': 'a' } },
  ]);
});

test('disabled credentials and those without a usable secret are not used', async () => {
  directory.replace(
    [provider([{ id: '1', enabled: false }, { id: '2' }, { id: '3' }])],
    refer({ 1: 'env:CREDENTIAL_A', 2: 'env:CREDENTIAL_B', 3: 'env:CREDENTIAL_MISSING' }),
  );
  expect(directory.accountsOf('vllm').map(({ credential }) => credential.id)).toEqual(['2']);
});

test('a provider of the catalog replaces that of the settings with its id, even when it is disabled', () => {
  const own = provider([{ id: '1' }], { id: 'openai' });
  expect(directory.isOfEnvironment('openai')).toBe(true);
  directory.replace([own], refer({ 1: 'env:CREDENTIAL_A' }));
  expect(['openai', 'vllm'].map((id) => directory.isOfEnvironment(id))).toEqual([false, false]);
  expect(keysOf('openai')).toEqual(['sk-a']);
  directory.replace([{ ...own, enabled: false }], refer({ 1: 'env:CREDENTIAL_A' }));
  expect(directory.has('openai')).toBe(false);
  directory.replace([], {});
  expect(directory.has('openai')).toBe(true);
});

test('a credential that is not of the form of its kind is not used', () => {
  directory.replace(
    [provider([{ id: '1' }, { id: '2' }])],
    refer({ 1: 'env:CREDENTIAL_A', 2: 'env:CREDENTIAL_JSON' }),
  );
  expect(directory.accountsOf('vllm').map(({ credential }) => credential.id)).toEqual(['1']);
});

test('a provider without an address of its own has that of its kind, by its options', () => {
  const bedrock = { kind: 'bedrock', baseUrl: '', optionsJson: '{"region":"eu-west-1"}' };
  directory.replace([provider([{ id: '1' }], bedrock)], refer({ 1: 'env:CREDENTIAL_A' }));
  expect(directory.accountsOf('vllm')).toMatchObject([
    {
      provider: {
        baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com',
        options: { region: 'eu-west-1' },
      },
    },
  ]);
});

test.each(['kling', 'of-a-later-version', 'toString'])(
  'a provider of kind %s, which the service does not serve, leaves that of the settings with its id',
  (kind) => {
    const other = provider([{ id: '1' }], { id: 'openai', kind });
    directory.replace([other, provider([{ id: '2' }], { kind })], refer({ 1: 'env:CREDENTIAL_A' }));
    expect(directory.accountsOf('openai')).toMatchObject([{ credential: { id: 'environment' } }]);
    expect(directory.has('vllm')).toBe(false);
  },
);

test('a compatible server without credentials is called without authentication; other kinds need a credential', () => {
  directory.replace([provider([]), provider([], { id: 'claude', kind: 'anthropic' })], {});
  expect(keysOf('vllm')).toEqual(['']);
  expect(directory.has('claude')).toBe(false);
});

test('a changed file is used within seconds, and reported as a changed secret', async () => {
  const file = path.join(folder, 'key');
  writeFileSync(file, 'sk-old');
  directory.replace([provider([{ id: '1' }])], refer({ 1: 'file:key' }));
  expect(keysOf('vllm')).toEqual(['sk-old']);
  writeFileSync(file, 'sk-new');
  await jest.advanceTimersByTimeAsync(REFRESH_MS);
  expect(keysOf('vllm')).toEqual(['sk-new']);
  expect(changed).toEqual(['vllm 1']);
  await jest.advanceTimersByTimeAsync(REFRESH_MS);
  expect(changed).toEqual(['vllm 1']);
});

test('a provider that cannot be connected has no accounts, and the others have theirs', () => {
  const broken = provider([{ id: 'a' }], { optionsJson: '{"proxy":1}' });
  const secrets = refer({ a: 'env:CREDENTIAL_A', b: 'env:CREDENTIAL_B' });
  directory.replace([broken, provider([{ id: 'b' }], { id: 'other' })], secrets);
  expect([...directory.ids()]).toEqual(['openai', 'other']);
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

test.each([
  ['http://10.0.0.7:8000/v1', undefined, 'resolve'],
  ['http://vllm:8000/v1', undefined, 'resolve'],
  ['http://vllm.models.svc.cluster.local/v1', undefined, 'resolve'],
  ['http://vllm:8000/v1', 'pass', undefined],
  ['http://vllm:8000/v1', 'refuse', 'refuse'],
  ['https://api.example.com/v1', undefined, undefined],
  ['https://api.example.com/v1', 'resolve', 'resolve'],
])('of a provider at %s with the option links %s, links are treated as %s', (baseUrl, links, expected) => {
  const options = { baseUrl, optionsJson: JSON.stringify({ links }) };
  directory.replace([provider([{ id: 'a' }], options)], refer({ a: 'env:CREDENTIAL_A' }));
  expect(directory.accountsOf('vllm')[0]!.provider.connection?.links).toBe(expected);
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
