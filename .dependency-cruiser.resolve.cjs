/** Resolves workspace packages to their sources, so that a rule sees through a package's index. */
const { readdirSync } = require('node:fs');
const path = require('node:path');

const packages = readdirSync(path.join(__dirname, 'packages'));

module.exports = {
  resolve: {
    extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    alias: Object.fromEntries([
      ['@gateway/proto/allowed-models$', path.join(__dirname, 'proto/src/allowed-models.ts')],
      ...packages.flatMap((name) => {
        const sources = path.join(__dirname, `packages/${name}/src`);
        return [
          [`@gateway/${name}$`, path.join(sources, 'index.ts')],
          [`@gateway/${name}`, sources],
        ];
      }),
    ]),
  },
};
