import { Quota } from './quota';

const RESERVED_PART = 1 / 8;
const SMALL_HOLDER_PART = 1 / 1_024;

/**
 * Returns a quota for bytes of memory: a holder may acquire `perHolderBytes`, or as much as it leaves to the others. The
 * last eighth is reserved for holders with less than a thousandth of the limit.
 */
export const memoryQuota = (limitBytes: number, perHolderBytes: number): Quota =>
  new Quota({
    limit: limitBytes,
    perHolder: perHolderBytes,
    elastic: true,
    reserve: {
      amount: Math.floor(limitBytes * RESERVED_PART),
      smallHolder: Math.floor(limitBytes * SMALL_HOLDER_PART),
    },
  });
