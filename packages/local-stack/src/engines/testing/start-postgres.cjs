// Starts the embedded PostgreSQL, for tests that kill the process that started it.
// argv: data folder. Sends { url, pid, adopted } to its parent; on any message, stops PostgreSQL and exits.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { transformSync } = require('@swc/core');

Module._extensions['.ts'] = (module, filename) => {
  const jsc = { target: 'es2024', parser: { syntax: 'typescript' } };
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc,
    module: { type: 'commonjs' },
  });
  module._compile(code, filename);
};
const { startEmbeddedPostgres } = require('../embedded-postgres.ts');

startEmbeddedPostgres({ dataDir: process.argv[2], log: () => {} }).then(
  ({ url, pid, adopted, stop }) => {
    process.send({ url, pid, adopted });
    process.once('message', () => stop().then(() => process.disconnect()));
  },
  (error) => {
    process.send({ error: error.message });
    process.disconnect();
  },
);
