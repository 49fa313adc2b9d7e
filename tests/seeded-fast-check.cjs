/**
 * Replaces `fast-check` in tests. Its cases are the same in each run, so that a failure is caused by a change. FC_SEED selects
 * other cases. Heavy runs use a random seed, which a failure reports.
 */
const fc = require('./node_modules/fast-check/lib/cjs/fast-check.js');

const DEFAULT_SEED = 20_261_121;
const { FC_SEED, TEST_HEAVY } = process.env;

if (FC_SEED) fc.configureGlobal({ seed: Number(FC_SEED) });
else if (TEST_HEAVY !== '1') fc.configureGlobal({ seed: DEFAULT_SEED });

module.exports = fc;
