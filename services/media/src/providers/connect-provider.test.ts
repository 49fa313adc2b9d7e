import type { ProviderAccess } from '@gateway/catalog-client';
import { PROVIDER_KINDS } from '@gateway/providers';
import type { UpstreamError } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import type { UpstreamRequest } from '../domain/upstream';
import { anOrder, aProviderCall } from '../images/rules/image-order.fixture';
import type { ImageProvider } from '../images/rules/image-provider';
import { type FakeReply, FakeUpstream } from '../testing/fake-upstream';
import type { VideoProvider } from '../videos/rules/video-provider';
import { connectorsOf, IMAGE_KINDS, VIDEO_KINDS } from './connect-provider';
import { recordedReply } from './recorded-replies.fixture';

const KLING_SECRET = '{"access_key":"access-key-1","secret_key":"secret-key-1"}';
const ACCESS: ProviderAccess = {
  id: 'mine',
  baseUrl: 'https://api.test',
  apiKey: 'sk-0123456789',
  options: {},
  headers: {},
};

const recorded = (name: string, status = 200): FakeReply => ({ status, json: recordedReply(name) });

type Kind = (typeof PROVIDER_KINDS)[number];
const connectImages = (kind: Kind, access: Partial<ProviderAccess>, upstream = new FakeUpstream()) =>
  connectorsOf<ImageProvider>(IMAGE_KINDS, upstream)(kind)!({ ...ACCESS, ...access });
const connectVideos = (kind: Kind, access: Partial<ProviderAccess>, upstream = new FakeUpstream()) =>
  connectorsOf<VideoProvider>(VIDEO_KINDS, upstream)(kind)!({ ...ACCESS, ...access });

test('images and videos each have their kinds, and the kinds of text alone have neither', () => {
  const kinds = (connectors: object) =>
    PROVIDER_KINDS.filter((kind) => connectorsOf(connectors, new FakeUpstream())(kind) !== undefined);
  expect(kinds(IMAGE_KINDS)).toEqual(['openai', 'gemini', 'bfl']);
  expect(kinds(VIDEO_KINDS)).toEqual(['gemini', 'minimax', 'kling', 'dashscope']);
});

test('a provider has the timeouts and the proxy of its configuration', () => {
  const connection = { connectMs: 7, proxy: 'http://proxy.test:3128' };
  expect(connectVideos('minimax', { connection }).connection).toEqual(connection);
  expect(connectVideos('minimax', {}).connection).toBeUndefined();
});

test('every request goes through the proxy, and only those to the host of the provider have its headers', async () => {
  const requests: UpstreamRequest[] = [];
  const replies = [
    { json: { id: '1', polling_url: 'https://api.test/poll' } },
    { json: { id: '1', status: 'Ready', result: { sample: 'https://cdn.test/a.png' } } },
    { bytes: Buffer.from('png'), headers: { 'content-type': 'image/png' } },
  ];
  const fake = new FakeUpstream(...replies);
  const upstream = {
    request(request: UpstreamRequest) {
      requests.push(request);
      return fake.request(request);
    },
  };
  const access = { ...ACCESS, headers: { 'x-team': 'a' }, connection: { proxy: 'http://proxy.test:3128' } };
  const bfl = connectorsOf<ImageProvider>(IMAGE_KINDS, upstream)('bfl')!(access);
  await bfl.generate(anOrder(), aProviderCall());
  expect(requests.map(({ url, proxy, headers }) => [url.host, proxy, headers['x-team']])).toEqual([
    ['api.test', 'http://proxy.test:3128', 'a'],
    ['api.test', 'http://proxy.test:3128', 'a'],
    ['cdn.test', 'http://proxy.test:3128', undefined],
  ]);
});

test('an image server without credentials is called without authentication', async () => {
  const upstream = new FakeUpstream(recorded('openai/images-base64'));
  await connectImages('openai', { apiKey: '' }, upstream).generate(anOrder(), aProviderCall());
  expect(upstream.sent[0]!.headers).not.toHaveProperty('authorization');
});

test.each(['kling', 'minimax', 'bfl'] as const)(
  'a base URL that is none can not be connected for kind %s',
  (kind) => {
    const connect = kind === 'bfl' ? connectImages : connectVideos;
    expect(() => connect(kind, { baseUrl: 'nonsense', apiKey: KLING_SECRET })).toThrow('Invalid URL');
  },
);

const reply = (status: number, json: unknown): FakeReply => ({ status, json });

/** What the check of a credential finds; undefined: the provider accepts it. */
async function probe(kind: Kind, answer: FakeReply) {
  const upstream = new FakeUpstream(answer);
  const apiKey = kind === 'kling' ? KLING_SECRET : ACCESS.apiKey;
  const provider =
    kind === 'bfl' ? connectImages(kind, {}, upstream) : connectVideos(kind, { apiKey }, upstream);
  const failure = await provider.probe!(aProviderCall()).then(
    () => undefined,
    (error) => (error as UpstreamError).failure,
  );
  return { failure, sent: upstream.sent };
}

test.each<[Kind, FakeReply, string]>([
  ['bfl', reply(200, { credits: 12.5 }), '/v1/credits'],
  [
    'minimax',
    reply(404, { type: 'error', error: { message: 'not found (2013)' } }),
    '/v2/query/video_generation/0',
  ],
  ['minimax', reply(400, { base_resp: { status_code: 2013, status_msg: 'invalid params' } }), '/v2/query/'],
  ['kling', recorded('kling/task-not-found', 404), '/v1/videos/text2video/0'],
  ['dashscope', recorded('dashscope/task-forgotten'), '/api/v1/tasks/0'],
])('a credential of kind %s is accepted if the provider answers %j', async (kind, answer, path) => {
  const { failure, sent } = await probe(kind, answer);
  expect(failure).toBeUndefined();
  expect(sent).toMatchObject([{ method: 'GET', url: expect.stringContaining(path), body: '' }]);
});

test.each<[Kind, FakeReply, object]>([
  ['bfl', reply(403, { detail: 'Not authenticated' }), { status: 403, message: 'Not authenticated' }],
  ['minimax', reply(401, { error: { message: 'login fail' } }), { status: 401, message: 'login fail' }],
  [
    'minimax',
    reply(200, { base_resp: { status_code: 2049, status_msg: 'invalid api key' } }),
    { status: 401, message: 'invalid api key' },
  ],
  [
    'kling',
    reply(401, { code: 1002, message: 'no such key access-key-1' }),
    { status: 401, message: 'no such key …' },
  ],
  ['kling', recorded('kling/insufficient-balance', 429), { status: 429 }],
  ['dashscope', recorded('dashscope/account-overdue', 400), { status: 400 }],
  ['dashscope', reply(401, { code: 'InvalidApiKey', message: 'not sk-0123456789' }), { message: 'not …' }],
  ['dashscope', reply(503, {}), { status: 503, message: 'no message' }],
  ['kling', { status: 404, bytes: Buffer.from('<html>') }, { status: 404, message: 'no message' }],
  ['kling', { status: 200, bytes: Buffer.from('<html>') }, { kind: 'broken' }],
])('a credential of kind %s is not accepted if the provider answers %j', async (kind, answer, expected) => {
  expect((await probe(kind, answer)).failure).toMatchObject(expected);
});
