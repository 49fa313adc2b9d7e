/** What a key's holds show that was admitted in the last minute. */
export interface KeyHistory {
  readonly keyId: string;
  /** The generation of the rates from now on. */
  readonly generation: bigint;
  /** Ages are rounded down, so that a call counts rather too long than too short. */
  readonly entries: readonly { readonly ageMs: number; readonly requests: bigint; readonly tokens: bigint }[];
}
