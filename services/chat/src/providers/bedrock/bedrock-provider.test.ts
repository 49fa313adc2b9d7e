import { HttpClient } from '@gateway/http-client';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { callThrough, requestOf } from '../../app/recorded-call.fixture';
import { readAsAnthropic, readAsOpenAi } from '../received-reply.fixture';
import { bedrockProvider } from './bedrock-provider';
import { type BedrockServer, startBedrock } from './bedrock-server.fixture';
import { type SigningAccount, signatureProblem } from './verify-signature.fixture';

const ACCOUNT: SigningAccount = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'IQoJb3JpZ2luX2VjE==/+',
  region: 'eu-central-1',
  service: 'bedrock',
};
const secretOf = ({ accessKeyId, secretAccessKey, sessionToken }: SigningAccount) =>
  JSON.stringify({
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    session_token: sessionToken,
  });
const providerAt = (baseUrl: string, apiKey: string, headers?: Readonly<Record<string, string>>) =>
  bedrockProvider({
    id: 'aws',
    baseUrl,
    apiKey,
    options: { region: ACCOUNT.region },
    ...(headers && { headers }),
  });

const client = new HttpClient();
let server: BedrockServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(() => client.close());

const CLIENTS = [
  { format: 'OpenAI', wire: 'openai', read: readAsOpenAi },
  { format: 'Anthropic', wire: 'anthropic', read: readAsAnthropic },
] as const;
const CALLS = [
  { input: { city: 'Zürich', days: 3 }, name: 'get_weather', id: 'tooluse_kZJMlvQmRJ6eAyJE5GIl7Q' },
  { input: {}, name: 'get_time', id: 'tooluse_0000000000000000000000' },
];

describe.each(CLIENTS)("a call of a client of $format's format over HTTP", ({ wire, read }) => {
  test.each([false, true])('is signed and answered (stream: %p)', async (isStream) => {
    server = await startBedrock(ACCOUNT);
    const provider = providerAt(server.url, secretOf(ACCOUNT), {
      'x-amz-meta': 'a  b',
      'x-request-id': 'theirs',
      accept: '*/*',
    });
    const { body, error, billed } = await callThrough(provider, client, requestOf(wire, isStream));
    expect(error).toBeUndefined();
    expect(read(body!, isStream)).toMatchObject({ text: 'Let me look.', calls: CALLS });
    expect(billed).toEqual([expect.objectContaining({ usageSource: 'USAGE_SOURCE_PROVIDER' })]);
    expect(server.requests).toEqual([
      {
        model: 'm',
        accept: isStream ? 'application/vnd.amazon.eventstream' : 'application/json',
        body: {
          messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
          inferenceConfig: { maxTokens: 1_000 },
        },
      },
    ]);
  });

  test('has the API key if the credential is one', async () => {
    server = await startBedrock('bedrock-api-key-YWJj=');
    const provider = providerAt(`${server.url}/`, ' bedrock-api-key-YWJj=\n');
    const { body } = await callThrough(provider, client, requestOf(wire, true));
    expect(read(body!, true)).toMatchObject({ calls: CALLS });
  });

  test('with a wrong secret fails without telling why', async () => {
    server = await startBedrock(ACCOUNT);
    const provider = providerAt(server.url, secretOf({ ...ACCOUNT, secretAccessKey: 'other' }));
    const { error } = await callThrough(provider, client, requestOf(wire, false));
    expect(error).toMatchObject({ code: 'upstream_unavailable' });
    expect(error?.detail).toBeUndefined();
  });
});

describe('a signature', () => {
  const BODY = Buffer.from('{"messages":[]}');
  const signed = async (
    upstreamModel: string,
    baseUrl = 'https://bedrock-runtime.eu-central-1.amazonaws.com',
  ) => {
    const call = { upstreamModel, stream: false, callerHeaders: {}, body: BODY };
    const { url, headers } = await providerAt(baseUrl, secretOf(ACCOUNT)).address(call);
    return { method: 'POST', path: url.pathname, headers: { ...headers }, body: BODY };
  };

  test.each([
    ['a base id', 'anthropic.claude-3-5-haiku-20241022-v1:0'],
    ['an inference profile', 'eu.anthropic.claude-sonnet-4-6'],
    ['an ARN', 'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-6'],
    ['signs that URLs escape differently', "a!b'c(d)e*f~g h+ü"],
  ])('is valid for a model named by %s', async (_what, model) => {
    const request = await signed(model);
    expect(signatureProblem(request, ACCOUNT, Date.now())).toBeUndefined();
    expect(decodeURIComponent(request.path)).toBe(`/model/${model}/converse`);
    expect(request.path.split('/')).toHaveLength(4);
  });

  test('is valid for another endpoint, with a port and a path', async () => {
    const request = await signed('m', 'http://127.0.0.1:8080/bedrock/');
    expect(request.path).toBe('/bedrock/model/m/converse');
    expect(request.headers.host).toBe('127.0.0.1:8080');
    expect(signatureProblem(request, ACCOUNT, Date.now())).toBeUndefined();
  });

  const NOW_MS = Date.now();
  test.each<[string, object, object?, number?]>([
    ['wrong signature', { path: '/model/other/converse' }],
    ['wrong hash of the body', { body: Buffer.from('{}') }],
    ['wrong signature', {}, { secretAccessKey: 'other' }],
    ['unknown access key', {}, { accessKeyId: 'other' }],
    ['wrong scope', {}, { region: 'us-east-1' }],
    ['wrong session token', {}, { sessionToken: 'other' }],
    ['signature expired, or not yet valid', {}, {}, NOW_MS + 400_000],
    ['signature expired, or not yet valid', {}, {}, NOW_MS - 400_000],
  ])(
    'of another request is refused by the test server: %s',
    async (problem, request, account = {}, nowMs = NOW_MS) => {
      const changed = { ...(await signed('m')), ...request };
      expect(signatureProblem(changed, { ...ACCOUNT, ...account }, nowMs)).toBe(problem);
    },
  );

  test('of the published test suite ("post-vanilla") is valid for the test server', () => {
    const scope = 'AKIDEXAMPLE/20150830/us-east-1/service/aws4_request';
    const signature = '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b';
    const headers = {
      host: 'example.amazonaws.com',
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    };
    const { sessionToken: _none, ...account } = ACCOUNT;
    expect(
      signatureProblem(
        { method: 'POST', path: '/', headers, body: Buffer.alloc(0) },
        { ...account, region: 'us-east-1', service: 'service' },
        Date.UTC(2015, 7, 30, 12, 36),
      ),
    ).toBeUndefined();
  });

  test('covers the hash of the body and the token of a session', async () => {
    const { headers } = await signed('m');
    expect(headers.authorization).toContain(
      'SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token',
    );
  });
});

test.each([undefined, {}, { region: '' }, { region: 1 }])('options %j are refused', (options) => {
  const account = { id: 'aws', baseUrl: 'http://b.invalid', apiKey: 'k' };
  expect(() => bedrockProvider({ ...account, ...(options && { options }) })).toThrow(
    'options.region is missing',
  );
});
