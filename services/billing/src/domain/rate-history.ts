/** What a key was let through in the last minute, as its holds tell. */
export interface KeyHistory {
  readonly keyId: string;
  /** In which it is counted from now on. */
  readonly generation: bigint;
  /** By age in whole seconds; what is younger than its age says counts for longer, never for less. */
  readonly seconds: readonly { readonly age: number; readonly requests: bigint; readonly tokens: bigint }[];
}
