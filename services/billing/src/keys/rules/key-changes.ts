/** Cached keys that are no longer what they were: these, and every one of these accounts. */
export interface KeyChanges {
  readonly keyIds: readonly string[];
  readonly accountIds: readonly string[];
}
