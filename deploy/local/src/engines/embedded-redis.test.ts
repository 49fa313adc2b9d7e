import { expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { startEmbeddedRedis } from './embedded-redis';
import { startEmbeddedRedisProcess } from './embedded-redis-process';

test('runs scripts by digest for the real client, and refuses unknown ones as Redis does', async () => {
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

test('each start in this process is a server of its own', async () => {
  const servers = await Promise.all([startEmbeddedRedis(), startEmbeddedRedis()]);
  expect(servers[0].url).not.toBe(servers[1].url);
  const client = createClient({ url: servers[0].url });
  client.on('error', () => {});
  await client.connect();
  expect(await client.ping()).toBe('PONG');
  client.destroy();
  await Promise.all(servers.map((server) => server.stop()));
});
