// Runs the embedded Redis in a separate process. Sends its URL to the parent process, and exits with it.
const { startEmbeddedRedis } = require('./embedded-redis.cjs');

process.once('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole process group, but the services still need Redis while they drain.
process.on('SIGINT', () => {});
startEmbeddedRedis().then(({ url }) => process.send({ url }));
