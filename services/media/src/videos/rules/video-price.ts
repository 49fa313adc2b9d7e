import { ceilDiv } from '@gateway/pricing';

const MS_PER_SECOND = 1_000n;

/** Returns the cost of a video in nano-USD, rounded up once. */
export function videoCostNano(videoMs: bigint, perSecondNano: bigint): bigint {
  return ceilDiv(videoMs * perSecondNano, MS_PER_SECOND);
}

/** Longer than any provider generates; a larger figure is an error. */
const MAX_SECONDS = 3_600;

/** Returns a provider's figure in milliseconds; undefined if it can't be billed. */
export function billableMs(seconds: number): bigint | undefined {
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > MAX_SECONDS) return undefined;
  const ms = BigInt(Math.round(seconds * 1_000));
  return ms > 0n ? ms : undefined;
}
