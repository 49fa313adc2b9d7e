import { CpuTimeQuota, threadCpuMs } from '@gateway/quota';
import { loadTokenizer } from './token-count';

/** CPU time per call that an account beyond its quota still gets: enough of a text to estimate the rest from. */
export const MINIMUM_COUNT_MS = 2;

/**
 * Returns a quota for counting tokens before the caller pays for anything. Text beyond an account's quota is estimated
 * earlier, so that counting does not take CPU time from other calls.
 * @param limitMs CPU time per second for all accounts
 */
export const tokenizerCpuQuota = (limitMs: number, nowMs = () => performance.now()): CpuTimeQuota =>
  new CpuTimeQuota({
    nowMs,
    cpuMs: () => {
      // Loading takes longer than any account's quota, so it happens before the first measurement.
      loadTokenizer();
      return threadCpuMs();
    },
    limitMs,
    minimumMs: MINIMUM_COUNT_MS,
  });
