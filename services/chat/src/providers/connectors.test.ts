import { ProviderDirectory } from '@gateway/catalog-client';
import { createLogger } from '@gateway/process';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import { Quota } from '@gateway/quota';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import { AUDIO_TOKENS_PER_SECOND } from '../domain/upper-bound';
import { connectorsOf } from './connect-provider';

const CALL = { upstreamModel: 'm', stream: false, callerHeaders: {}, body: Buffer.alloc(0) };

let directory: ProviderDirectory<ChatProvider>;
beforeEach(() => {
  directory = new ProviderDirectory({
    environment: new Map(),
    secrets: {
      keys: undefined,
      env: { CREDENTIAL_A: 'sk-a', CREDENTIAL_JSON: '{"type":"authorized_user"}' },
      directory: undefined,
    },
    connectorOf: connectorsOf(new Quota({ limit: 0 })),
    log: createLogger('test', 'silent'),
    onCredentialChanged: () => {},
  });
});
afterEach(() => directory.close());

/** Connects a provider with two credentials: a key, and a JSON that is none. */
function connect(fields: Partial<Provider__Output>): void {
  const credentials = ['a', 'b'].map((id) => ({
    id,
    name: id,
    hint: '',
    weight: 1,
    enabled: true,
    limits: null,
    createdAtMs: '0',
  }));
  const provider = {
    ...{ id: 'it', kind: 'openai', name: 'It', baseUrl: '', headers: { 'x-team': 'a' }, optionsJson: '' },
    ...{ enabled: true, createdAtMs: '0', credentials },
    ...fields,
  };
  const reference = (variable: string) => ({ sealed: Buffer.alloc(0), reference: `env:${variable}` });
  directory.replace([provider], { a: reference('CREDENTIAL_A'), b: reference('CREDENTIAL_JSON') });
}

const first = () => directory.accountsOf('it')[0]!.provider;
const addressOf = async () => first().address(CALL);

test('a call has the credential, and the headers of its provider', async () => {
  connect({});
  const { url, headers } = await addressOf();
  expect(url.href).toBe('https://api.openai.com/v1/chat/completions');
  expect(headers).toMatchObject({ authorization: 'Bearer sk-a', 'x-team': 'a' });
});

test('a compatible server without credentials is called without authentication', async () => {
  connect({ credentials: [] });
  expect((await addressOf()).headers).not.toHaveProperty('authorization');
});

test.each([
  ['bedrock', '{"region":"eu-west-1"}', 'https://bedrock-runtime.eu-west-1.amazonaws.com'],
  ['vertex', '{"project":"p"}', 'https://aiplatform.googleapis.com'],
])(
  'of a provider of kind %s, a credential in the form of another kind is not used',
  async (kind, optionsJson, origin) => {
    connect({ kind, optionsJson });
    expect(directory.accountsOf('it')).toMatchObject([{ credential: { id: 'a' } }]);
    expect((await addressOf()).url.origin).toBe(origin);
  },
);

test('a provider with a preset has its base URL and its quirks', async () => {
  connect({ optionsJson: '{"preset":"groq"}' });
  expect((await addressOf()).url.href).toBe('https://api.groq.com/openai/v1/chat/completions');
  expect(first().maxTokensField).toBe('max_completion_tokens');
});

test.each([
  ['a preset of a later version, because its usage could be misread', { optionsJson: '{"preset":"later"}' }],
  ['a base URL that is none', { baseUrl: 'nonsense' }],
  ['a kind that generates no text', { kind: 'kling' }],
])('a provider with %s has no accounts', (_what, fields) => {
  connect(fields);
  expect(directory.has('it')).toBe(false);
});

test('a provider has its timeouts and its proxy, whatever its kind', () => {
  const proxy = 'http://10.0.0.9:3128';
  const optionsJson = JSON.stringify({ region: 'us-east-1', timeouts: { connect_ms: 500 }, proxy });
  connect({ kind: 'bedrock', optionsJson });
  expect(first().connection).toMatchObject({ connectMs: 500, proxy });
});

test('audio is counted by the rule of OpenAI for its own kind and Azure, and by the usual one elsewhere', () => {
  const rateOf = (fields: Partial<Provider__Output>) => {
    connect(fields);
    return first().audioTokensPerSecond ?? AUDIO_TOKENS_PER_SECOND.usual;
  };
  const azure = { kind: 'azure-openai', baseUrl: 'https://a.openai.azure.com' };
  expect(rateOf({ baseUrl: 'https://api.openai.com/v1' })).toBe(10);
  expect(rateOf(azure)).toBe(10);
  expect(rateOf({ baseUrl: 'http://127.0.0.1:1/v1' })).toBe(32);
  expect(rateOf({ kind: 'gemini' })).toBe(32);
});
