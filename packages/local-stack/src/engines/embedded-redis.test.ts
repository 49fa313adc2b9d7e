import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { startEmbeddedRedis } from '../../engines/embedded-redis.cjs';
import { startEmbeddedRedisProcess } from './embedded-redis-process';

test('embedded Redis runs scripts by digest and rejects unknown digests with NOSCRIPT', async () => {
  const server = await startEmbeddedRedisProcess();
  const client = createClient({ url: server.url });
  client.on('error', () => {});
  try {
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    await client.connect();
    const script = "redis.call('INCRBY', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])";
    const digest = await client.scriptLoad(script);
    expect(await client.evalSha(digest, { keys: ['n'], arguments: ['5'] })).toBe('5');
    expect(await client.evalSha(digest, { keys: ['n'], arguments: ['2'] })).toBe('7');
    const unknown = client.evalSha('0'.repeat(40), { keys: [], arguments: [] });
    await expect(unknown).rejects.toThrow(/^NOSCRIPT/);
  } finally {
    if (client.isOpen) client.destroy();
    await server.stop();
  }
});

test('each start of the embedded Redis creates a separate server', async () => {
  const servers = await Promise.all([startEmbeddedRedis(), startEmbeddedRedis()]);
  expect(servers[0].url).not.toBe(servers[1].url);
  const client = createClient({ url: servers[0].url });
  client.on('error', () => {});
  await client.connect();
  expect(await client.ping()).toBe('PONG');
  client.destroy();
  await Promise.all(servers.map((server) => server.stop()));
});

test('embedded Redis listens on 127.0.0.1 only', async () => {
  const server = await startEmbeddedRedis();
  try {
    // Another address of the loopback interface, which a server on all addresses would accept.
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.2' });
    await expect(once(socket, 'connect')).rejects.toThrow(/ECONNREFUSED|EADDRNOTAVAIL|ETIMEDOUT/);
  } finally {
    await server.stop();
  }
});

test('embedded Redis sends the second of two replies without waiting for the acknowledgment of the first', async () => {
  const server = await startEmbeddedRedis();
  const client = createClient({ url: server.url });
  client.on('error', () => {});
  try {
    await client.connect();
    const startedAtMs = performance.now();
    for (let i = 0; i < 50; i++) await Promise.all([client.get('a'), client.get('b')]);
    // With a delayed acknowledgment of 40 ms each, it would take two seconds.
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  } finally {
    client.destroy();
    await server.stop();
  }
});
