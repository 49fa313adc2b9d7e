const { once } = require('node:events');
const { createRedisServer } = require('js-redis-server');

const HOST = '127.0.0.1';

exports.startEmbeddedRedis = async () => {
  const redis = await createRedisServer({ compatibility: 'redis-7.0' });
  const { server } = redis.server;
  // The package listens on all addresses; listen again on loopback only.
  server.close();
  await once(server, 'close');
  server.listen(0, HOST);
  await once(server, 'listening');
  // Replies are written one by one: with Nagle's algorithm, the second would wait 40 ms for the acknowledgment of the first.
  server.on('connection', (socket) => socket.setNoDelay(true));
  return { url: `redis://${HOST}:${redis.server.getPort()}`, stop: () => redis.close() };
};
