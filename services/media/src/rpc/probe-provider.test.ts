import type { RequestContext } from '@gateway/rpc';
import { type Account, UpstreamError } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import type { VideoProvider } from '../videos/rules/video-provider';
import { probeProvider } from './probe-provider';

const CONTEXT = { requestId: 'r', signal: new AbortController().signal } as RequestContext;

const account = (id: string, probe?: VideoProvider['probe']): Account<VideoProvider> => ({
  provider: {
    id: 'kling',
    fetchesLinks: true,
    submit: () => Promise.reject(new Error('not ordered')),
    poll: () => Promise.reject(new Error('not polled')),
    ...(probe && { probe }),
  },
  credential: { id, name: `key ${id}`, weight: 1 },
});

const probe = (accounts: readonly Account<VideoProvider>[], credentialId = '') =>
  probeProvider({ accountsOf: (id) => (id === 'kling' ? accounts : []) })(CONTEXT, {
    provider: 'kling',
    credentialId,
  });

const failing = (failure: ConstructorParameters<typeof UpstreamError>[0]) => async () => {
  throw new UpstreamError(failure);
};

test('the first credential is tested, or the one that is named', async () => {
  const tested: string[] = [];
  const accounts = ['1', '2'].map((id) => account(id, async () => void tested.push(id)));
  expect(await probe(accounts)).toEqual({
    credentialId: '1',
    credentialName: 'key 1',
    latencyMs: expect.any(Number),
  });
  expect(await probe(accounts, '2')).toMatchObject({ credentialId: '2' });
  expect(tested).toEqual(['1', '2']);
});

test.each([
  [failing({ kind: 'status', status: 401, message: 'who?' }), { status: 401, message: 'who?' }],
  [
    failing({ kind: 'unreachable', cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
    { status: 0, message: 'ECONNREFUSED' },
  ],
  [
    failing({ kind: 'broken', cause: new Error('the reply is not JSON') }),
    { status: 0, message: 'the reply is not JSON' },
  ],
  [undefined, { status: 0, message: expect.stringContaining('cannot be tested') }],
])('a failure of the provider is a result', async (fails, failure) => {
  expect((await probe([account('1', fails)])).failure).toEqual(failure);
});

test('a credential that does not arrive within two seconds is not_found', async () => {
  await expect(probe([account('1')], 'none')).rejects.toMatchObject({
    code: 'not_found',
    detail: 'the provider has no usable credential for images or videos',
  });
});
