const { default: Sequencer } = require('@jest/test-sequencer');

/** Half a minute of unit tests, a minute or more of system tests. */
const LONGEST = [
  'deploy/local/src/engines/embedded-postgres',
  'tests/src/browser/web-ui',
  'tests/src/clients/completions',
  'tests/src/clients/messages',
  'tests/src/conformance/gateway',
  'tests/src/conformance/upstream',
  'tests/src/start',
].map((name) => `/${name}.test.ts`);

/** Begins with what takes longest: begun last, it would leave the other workers idle. Of a first run jest knows the files' sizes only. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const isFirst = (test) => this.hasFailed(test) || LONGEST.some((name) => test.path.endsWith(name));
    return super.sort(tests).sort((one, other) => Number(isFirst(other)) - Number(isFirst(one)));
  }
};
