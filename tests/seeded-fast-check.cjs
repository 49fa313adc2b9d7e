/**
 * What tests get for `fast-check`: the same cases each time, so that a run tells of what was changed and of nothing
 * else. FC_SEED chooses others, and the full counts take a seed of their own each time; a failure names it.
 */
const fc = require('./node_modules/fast-check/lib/cjs/fast-check.js');

const USUAL_SEED = 20_261_121;
const { FC_SEED, TEST_HEAVY } = process.env;

if (FC_SEED) fc.configureGlobal({ seed: Number(FC_SEED) });
else if (TEST_HEAVY !== '1') fc.configureGlobal({ seed: USUAL_SEED });

module.exports = fc;
