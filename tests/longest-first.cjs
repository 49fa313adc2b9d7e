const { default: Sequencer } = require('@jest/test-sequencer');

/** Test files that take half a minute (unit) or about a minute (system). */
const LONGEST = [
  'packages/local-stack/src/engines/embedded-postgres',
  'tests/src/background-responses',
  'tests/src/batches',
  'tests/src/browser/web-ui',
  'tests/src/clients/completions',
  'tests/src/clients/messages',
  'tests/src/conformance/gateway',
  'tests/src/conformance/upstream',
  'tests/src/faults',
  'tests/src/membership',
  'tests/src/restored-database',
  'tests/src/start',
].map((name) => `/${name}.test.ts`);

/**
 * Runs the longest test files first: if they ran last, the other workers would be idle. On a first run jest knows only the sizes of
 * the files.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const isFirst = (test) => this.hasFailed(test) || LONGEST.some((name) => test.path.endsWith(name));
    return super.sort(tests).sort((one, other) => Number(isFirst(other)) - Number(isFirst(one)));
  }
};
