import { type DnsServer, startDnsServer, until } from '@gateway/testing';
import { afterEach, beforeEach, test } from '@jest/globals';
import { dnsSource, type NameQueries, nameQueries } from './dns-source';
import type { Instance } from './membership';

/** The promise: 2 s and the server's own delay. The rest is for a busy machine. */
const SEEN_WITHIN_MS = 2_000 + 2_000;

let server: DnsServer;
const stops: (() => void)[] = [];
beforeEach(async () => {
  server = await startDnsServer();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await server.stop();
});

/** Follows an entry; `last` is the latest answer: addresses, or the code of a failure. */
function follow(entry: string, queries: NameQueries = nameQueries([server.address])) {
  const state: { last?: string[] | string } = {};
  const report = (answer: readonly Instance[], failure?: NodeJS.ErrnoException) => {
    state.last = failure ? `${failure.code}` : answer.map(({ address }) => address).sort();
  };
  stops.push(dnsSource(entry, queries)(report));
  const answers = (expected: string[] | string) =>
    until(() => `${state.last}` === `${expected}`, SEEN_WITHIN_MS);
  return { answers };
}

test('follows the A records of a name, whatever their TTL', async () => {
  server.setA('chat.test', ['127.0.0.2']);
  const { answers } = follow('chat.test:7103');
  await answers(['127.0.0.2:7103']);
  server.setA('chat.test', ['127.0.0.3', '127.0.0.2']);
  await answers(['127.0.0.2:7103', '127.0.0.3:7103']);
  server.setA('chat.test', ['127.0.0.3']);
  await answers(['127.0.0.3:7103']);
});

test('follows the hosts and ports of the SRV records with the lowest priority', async () => {
  server.setA('a.test', ['127.0.0.2']);
  server.setA('b.test', ['127.0.0.3']);
  server.setSrv('_grpc._tcp.chat.test', [
    { target: 'a.test', port: 1, priority: 10 },
    { target: 'b.test', port: 2, priority: 10 },
    { target: 'a.test', port: 3, priority: 20 },
  ]);
  const { answers } = follow('srv://_grpc._tcp.chat.test');
  await answers(['127.0.0.2:1', '127.0.0.3:2']);
  server.setSrv('_grpc._tcp.chat.test', [{ target: 'b.test', port: 4 }]);
  await answers(['127.0.0.3:4']);
});

test('reports a failure of the DNS server, and asks again', async () => {
  server.setA('chat.test', ['127.0.0.2']);
  const { answers } = follow('chat.test:7103');
  await answers(['127.0.0.2:7103']);
  server.setFailing(true);
  await answers('ESERVFAIL');
  server.setFailing(false);
  await answers(['127.0.0.2:7103']);
});

const absent = () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
const NOTHING: NameQueries = { resolve4: absent, resolve6: absent, resolveSrv: absent, lookup: absent };

test('finds a name without records by the resolver of the system, as one of /etc/hosts, with addresses of one family', async () => {
  const lookup = async () => [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  await follow('localhost:1', { ...NOTHING, lookup }).answers(['127.0.0.1:1']);
  await follow('chat:1', { ...NOTHING, lookup }).answers(['127.0.0.1:1']);
});

test('finds a name of /etc/hosts while no DNS server answers', async () => {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const resolve4 = () => Promise.reject(Object.assign(new Error(), { code: 'ETIMEOUT' }));
  await follow('chat:1', { ...NOTHING, resolve4, lookup }).answers(['127.0.0.1:1']);
});

test('uses AAAA records if there are no A records', async () => {
  const resolve6 = async () => ['fd00::2'];
  await follow('chat.test:1', { ...NOTHING, resolve6 }).answers(['[fd00::2]:1']);
});

test('fails for a name that nobody knows', async () => {
  await follow('chat.test:1', NOTHING).answers('ENOTFOUND');
});
