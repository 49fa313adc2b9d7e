/** How a provider of OpenAI's format wants to be told the most output per choice. */
export type MaxTokensField = 'max_tokens' | 'max_completion_tokens';

/** The new JSON of top-level members, or undefined for one to leave out. */
export type MemberOverrides = ReadonlyMap<string, string | undefined>;

/** What of a caller's own bytes must change for a provider of the same format. */
export interface PassedChange {
  readonly upstreamModel: string;
  /** Output per choice that funds pay for, when that is less than the caller's own maximum. */
  readonly maxTokens: number | undefined;
  readonly maxTokensField: MaxTokensField;
  /** What else of the caller's parsed body the provider wants otherwise. */
  readonly overrides?: ((body: Readonly<Record<string, unknown>>) => MemberOverrides) | undefined;
}
