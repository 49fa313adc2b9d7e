import { expect, test } from '@jest/globals';
import { aProviderCall } from '../../images/rules/image-order.fixture';
import { FakeUpstream } from '../../testing/fake-upstream';
import { azureAudio } from './azure-audio';

const ORDER = {
  ...{ upstreamModel: 'tts-1', input: 'Hi', voice: 'alloy', asEvents: false, needsTokens: false },
};

async function speak(options: Readonly<Record<string, unknown>>, apiKey = 'k') {
  const upstream = new FakeUpstream({ bytes: Buffer.from('x') });
  const account = { id: 'azure', baseUrl: 'https://r.openai.azure.com/openai/v1', apiKey, options };
  await azureAudio(account, upstream).speak(ORDER, aProviderCall());
  const { url, headers, body } = upstream.sent[0]!;
  return { url, key: headers['api-key'], model: JSON.parse(body).model };
}

test('the v1 API has the deployment in the body', async () => {
  expect(await speak({ deployments: { 'tts-1': 'my-voice' } })).toEqual({
    ...{ url: 'https://r.openai.azure.com/openai/v1/audio/speech', key: 'k', model: 'my-voice' },
  });
});

test('a dated version has the deployment in the URL', async () => {
  const { url } = await speak({ api_version: '2025-04-01-preview' });
  expect(url).toBe(
    'https://r.openai.azure.com/openai/deployments/tts-1/audio/speech?api-version=2025-04-01-preview',
  );
});

test('a service principal is refused before a request, so that another target is tried', async () => {
  await expect(speak({}, '{"tenant_id":"t"}')).rejects.toMatchObject({ failure: { status: 403 } });
});
