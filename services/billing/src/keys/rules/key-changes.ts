/** Outdated cached keys: these keys, and all keys of these accounts. */
export interface KeyChanges {
  readonly keyIds: readonly string[];
  readonly accountIds: readonly string[];
}
