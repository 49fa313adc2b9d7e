/** What a key was let through in the last minute, as its holds tell. */
export interface KeyHistory {
  readonly keyId: string;
  /** In which it is counted from now on. */
  readonly generation: bigint;
  /** Ages are rounded down: a call counts for longer, never for less. */
  readonly entries: readonly { readonly ageMs: number; readonly requests: bigint; readonly tokens: bigint }[];
}
