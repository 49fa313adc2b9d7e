// The embedded Redis as a process of its own. Tells its parent the URL; ends with it.
const { startEmbeddedRedis } = require('./embedded-redis.cjs');

process.once('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole group; the services still need Redis while they drain.
process.on('SIGINT', () => {});
startEmbeddedRedis().then(({ url }) => process.send({ url }));
