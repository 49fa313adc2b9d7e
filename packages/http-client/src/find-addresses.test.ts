import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DnsServer, startDnsServer } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addressesIn, addressFinder, findAddresses, searchIn } from './find-addresses';

test('addresses of the hosts file are found by each of the names of their line, in any case', () => {
  const file = '# 10.0.0.1 db.example\n10.0.0.2\tDB.example db # inner\n::1 db.example\n';
  expect(addressesIn(file, 'db.example')).toEqual(['10.0.0.2', '::1']);
  expect(addressesIn(file, 'db')).toEqual(['10.0.0.2']);
  expect(addressesIn(file, 'inner')).toEqual([]);
});

test('a host of the hosts file is found without DNS, and an unknown one has no addresses', async () => {
  expect(await findAddresses('localhost')).toContain('127.0.0.1');
  expect(await findAddresses('unknown.invalid')).toEqual([]);
});

describe('search domains', () => {
  let dns: DnsServer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'resolver-'));
    dns = await startDnsServer();
    dns.setA('public.example', ['93.184.215.14']);
    dns.setA('public.example.corp.example', ['10.0.0.9']);
    dns.setA('grafana.monitoring.svc.cluster.local', ['10.96.0.7']);
    dns.setA('shop.example', ['93.184.215.15']);
    dns.setA('shop.example.svc.cluster.local', ['10.96.0.8']);
  });

  afterAll(async () => {
    await dns.stop();
    await rm(folder, { recursive: true });
  });

  async function found(host: string, resolverFile: string): Promise<readonly string[]> {
    const file = join(folder, 'resolv.conf');
    await writeFile(file, resolverFile);
    return addressFinder({ resolverFile: file, servers: [dns.address] })(host);
  }

  const OF_POD = 'search default.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n';
  const OF_SERVER = 'domain corp.example\n';

  test.each([
    ['a service and its namespace, which only a pod finds', 'grafana.monitoring', OF_POD, ['10.96.0.7']],
    ['the same where a dot is enough', 'grafana.monitoring', 'search svc.cluster.local.', ['10.96.0.7']],
    ['a name inside and outside of the cluster', 'shop.example', OF_POD, ['93.184.215.15', '10.96.0.8']],
    ['a name that is found as it is', 'public.example', OF_SERVER, ['93.184.215.14']],
    ['a name without search domains', 'grafana.monitoring', '', []],
    ['an unknown name', 'unknown.example', OF_POD, []],
  ])('%s', async (_, host, resolverFile, addresses) => {
    expect(await found(host, resolverFile)).toEqual(addresses);
  });

  test('are read from the last list, without comments', () => {
    expect(searchIn('; search a.example\nsearch b.example\nsearch c.example d.example. # e\n')).toEqual({
      domains: ['c.example', 'd.example'],
      minDots: 1,
    });
    expect(searchIn('domain a.example\noptions rotate ndots:3 timeout:1\n')).toEqual({
      domains: ['a.example'],
      minDots: 3,
    });
    expect(searchIn(`search ${Array(100).fill('a.example').join(' ')}`).domains).toHaveLength(32);
  });
});
