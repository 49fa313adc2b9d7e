import { SettingsError } from '@gateway/process';
import { expect, test } from '@jest/globals';
import { FakeUpstream } from '../testing/fake-upstream';
import { createProviders } from './registry';
import { CALL, ORDER } from './video-protocol.fixture';

const KEYS = { KLING_ACCESS_KEY: 'ak', KLING_SECRET_KEY: 'sk' };

test('providers of the environment are those of images and those of videos', () => {
  const env = { OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k', ...KEYS };
  const { images, videos } = createProviders(
    { MEDIA_PROVIDERS: 'openai,google,kling' },
    env,
    new FakeUpstream(),
  );
  expect([...images.keys()]).toEqual(['openai', 'google']);
  expect([...videos.keys()]).toEqual(['google', 'kling']);
});

test('the two keys of Kling in the environment sign its calls', async () => {
  const upstream = new FakeUpstream({ json: { code: 0, data: { task_id: '7' } } });
  const { videos } = createProviders({ MEDIA_PROVIDERS: 'kling' }, KEYS, upstream);
  await videos.get('kling')!.submit(ORDER, CALL);
  const { authorization = '' } = upstream.sent[0]!.headers;
  const claims = JSON.parse(Buffer.from(authorization.split('.')[1]!, 'base64url').toString());
  expect(claims).toMatchObject({ iss: 'ak' });
});

test('every setting that a provider lacks is named', () => {
  const create = () =>
    createProviders({ MEDIA_PROVIDERS: 'kling,bfl,none' }, { BFL_BASE_URL: 'nonsense' }, new FakeUpstream());
  expect(create).toThrow(SettingsError);
  for (const name of [
    'KLING_ACCESS_KEY',
    'KLING_SECRET_KEY',
    'BFL_API_KEY',
    'BFL_BASE_URL',
    'unknown provider none',
  ])
    expect(create).toThrow(name);
});
