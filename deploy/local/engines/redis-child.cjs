// The embedded Redis as a process of its own. Tells its parent the URL; ends with it.
const { createRedisMock } = require('js-redis-server');

process.once('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole group; the services still need Redis while they drain.
process.on('SIGINT', () => {});
createRedisMock({ port: 0, compatibility: 'redis-7.0' }).then(({ url }) => process.send({ url }));
