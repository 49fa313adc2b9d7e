/** The rate limits in a key's row. */
export interface RateLimits {
  readonly rpm: bigint | null;
  readonly tpm: bigint | null;
  /** Number of times that its rates were rebuilt: rates taken in another generation admit nothing. */
  readonly generation: bigint;
}

export const isLimited = ({ rpm, tpm }: RateLimits): boolean => rpm !== null || tpm !== null;
