import { describe, expect, jest, test } from '@jest/globals';
import { checkLinkHosts, refuseLinks } from './link-hosts';
import type { ProviderConnection } from './provider-connection';

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14', '2606:2800:21f::1'],
  'inner.example': ['10.1.2.3'],
  'mixed.example': ['93.184.215.14', '::1'],
};
const find = jest.fn(async (host: string) => ADDRESSES[host] ?? []);
const to = (...policies: ProviderConnection['links'][]) =>
  policies.map((links) => ({ provider: { connection: { links } } }));

const check = (routes: ReturnType<typeof to>, ...hosts: string[]) =>
  checkLinkHosts(
    routes,
    hosts.map((host) => `https://${host}/a.png`),
    find,
  );

describe('for a provider in a private network', () => {
  test.each(['inner.example', 'mixed.example', 'INNER.example', 'inner.example.', 'inner.example:8443'])(
    'a link to %s, which resolves to a private address, is refused',
    async (host) => {
      await expect(check(to('resolve'), 'public.example', host)).rejects.toMatchObject({
        code: 'invalid_request',
        detail: 'the link must point to a public host',
      });
    },
  );

  test.each(['public.example', 'unknown.example'])('a link to %s is accepted', async (host) => {
    await expect(check(to('resolve'), host)).resolves.toBeUndefined();
  });

  test('each host is looked up once, and a call with links of 21 hosts is refused without a lookup', async () => {
    find.mockClear();
    await check(to('resolve'), ...Array(30).fill('public.example'));
    expect(find).toHaveBeenCalledTimes(1);
    const hosts = Array.from({ length: 21 }, (_, at) => `h${at}.example`);
    await expect(check(to('resolve'), ...hosts)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(find).toHaveBeenCalledTimes(1);
  });
});

test('nothing is looked up if no provider of the call is in a private network', async () => {
  find.mockClear();
  await check(to(undefined, 'refuse'), 'inner.example');
  expect(find).not.toHaveBeenCalled();
  await expect(check(to(undefined, 'resolve'), 'inner.example')).rejects.toThrow();
});

test('a provider that takes no links refuses every link, and only links', () => {
  const refusal = expect.objectContaining({ code: 'invalid_request' });
  expect(() => refuseLinks({ links: 'refuse' }, ['https://public.example/a.png'])).toThrow(refusal as never);
  for (const links of [undefined, []]) expect(() => refuseLinks({ links: 'refuse' }, links)).not.toThrow();
  expect(() => refuseLinks({ links: 'resolve' }, ['https://public.example/a.png'])).not.toThrow();
});
