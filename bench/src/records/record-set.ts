/** Properties of the inserted records, shared by the insertion and the queries. */
export const RECORDS = 1_000_000;
/** Records of the large account, to which every second row belongs. */
export const OWN_RECORDS = RECORDS / 2;
export const DAYS = 30;
/** Records of each of the other accounts. */
export const SMALL_RECORDS = 1_000;
export const PROVIDER = 'bench';

/** Keys of the large account. The first has a fifth of the calls, each later one fewer. */
export const KEYS = 100;
/** Index of a key with ten calls. */
export const RARE_KEY = KEYS;
export const RARE_RECORDS = 10;
/** Index of a key that was used only in the first minutes, as was the model OLD_MODEL. */
export const OLD_KEY = KEYS + 1;
export const OLD_MODEL = 'bench/old';
/** Has a quarter of the calls, but none of the first key and none that failed at the provider. */
export const COMMON_MODEL = 'bench/common';
export const MODELS = 40;
export const model = (number: number) => `bench/model-${number}`;
