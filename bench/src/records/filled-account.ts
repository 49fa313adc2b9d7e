/** What the filled accounts' calls were made with; the fill and the questions agree on it. */
export const RECORDS = 1_000_000;
/** Of the large account, whose rows are every other one. */
export const OWN_RECORDS = RECORDS / 2;
export const DAYS = 30;
/** Each of the other accounts has as many. */
export const SMALL_RECORDS = 1_000;
export const PROVIDER = 'bench';

/** Keys of the large account. The first makes a fifth of the calls, each later one fewer. */
export const KEYS = 100;
/** Makes ten calls. */
export const RARE_KEY = KEYS;
export const RARE_RECORDS = 10;
/** Was used in the first minutes only, as was the model. */
export const OLD_KEY = KEYS + 1;
export const OLD_MODEL = 'bench/old';
/** A quarter of the calls, but none of the first key's, and none that failed at its provider. */
export const COMMON_MODEL = 'bench/common';
export const MODELS = 40;
export const model = (number: number) => `bench/model-${number}`;
