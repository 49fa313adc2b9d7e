const { once } = require('node:events');
const { createRedisServer } = require('js-redis-server');

const HOST = '127.0.0.1';

exports.startEmbeddedRedis = async () => {
  const redis = await createRedisServer({ compatibility: 'redis-7.0' });
  const { server } = redis.server;
  // By itself it listens on every address of the machine.
  server.close();
  await once(server, 'close');
  server.listen(0, HOST);
  await once(server, 'listening');
  // It writes reply by reply: without this the second waits 40 ms for the receipt of the first.
  server.on('connection', (socket) => socket.setNoDelay(true));
  return { url: `redis://${HOST}:${redis.server.getPort()}`, stop: () => redis.close() };
};
