/** What a key's row says of its rates. */
export interface RateTerms {
  readonly rpm: bigint | null;
  readonly tpm: bigint | null;
  /** How often its rates were rebuilt: those taken in another generation admit nothing. */
  readonly generation: bigint;
}

export const isLimited = ({ rpm, tpm }: RateTerms): boolean => rpm !== null || tpm !== null;
