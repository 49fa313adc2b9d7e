import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type EdgeFixture, startEdgeFixture } from '../testing/edge-fixture';

let behindProxy: EdgeFixture;
let direct: EdgeFixture;
beforeAll(async () => {
  behindProxy = await startEdgeFixture({ EDGE_TRUSTED_PROXIES: '127.0.0.1' });
  direct = await startEdgeFixture();
});
afterAll(async () => {
  await Promise.all([behindProxy?.stop(), direct?.stop()]);
});

const hsts = async (url: string, protocol?: string) => {
  const response = await fetch(
    url,
    protocol === undefined ? {} : { headers: { 'x-forwarded-proto': protocol } },
  );
  await response.body?.cancel();
  return response.headers.get('strict-transport-security');
};

test.each(['https', 'HTTPS', 'https, http'])(
  'responses announce HSTS if the trusted proxy received %s, errors too',
  async (protocol) => {
    const { apiUrl, dashboardUrl } = behindProxy;
    for (const url of [`${apiUrl}/v1/models`, `${apiUrl}/nowhere`, `${dashboardUrl}/`]) {
      expect(await hsts(url, protocol)).toBe('max-age=31536000');
    }
  },
);

test.each(['http', 'http, https', undefined])(
  'responses do not announce HSTS if it received %s',
  async (protocol) => {
    expect(await hsts(`${behindProxy.dashboardUrl}/`, protocol)).toBeNull();
  },
);

test('the claim of a client that is not a trusted proxy is ignored', async () => {
  expect(await hsts(`${direct.dashboardUrl}/`, 'https')).toBeNull();
});
