const MS_PER_SECOND = 1_000n;

/** Of so much video, rounded up once. */
export function videoCostNano(videoMs: bigint, perSecondNano: bigint): bigint {
  return (videoMs * perSecondNano + MS_PER_SECOND - 1n) / MS_PER_SECOND;
}

/** No provider makes more at once; a figure beyond it is a mistake. */
const MAX_SECONDS = 3_600;

/** A provider's own figure in milliseconds; undefined when no bill could be made of it. */
export function billableMs(seconds: number): bigint | undefined {
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > MAX_SECONDS) return undefined;
  const ms = BigInt(Math.round(seconds * 1_000));
  return ms > 0n ? ms : undefined;
}
