/** Which member a provider of OpenAI's format reads the maximum output per choice from. */
export type MaxTokensField = 'max_tokens' | 'max_completion_tokens';

/** New JSON of top-level members; undefined for a member to omit. */
export type MemberOverrides = ReadonlyMap<string, string | undefined>;

/** Changes to a caller's own bytes for a provider of the same format. */
export interface PassThroughChange {
  readonly upstreamModel: string;
  /** Maximum output per choice that the funds cover, if that is less than the caller's own maximum. */
  readonly maxTokens: number | undefined;
  readonly maxTokensField: MaxTokensField;
  /** Other members of the parsed body that the provider reads differently. */
  readonly overrides?: ((body: Readonly<Record<string, unknown>>) => MemberOverrides) | undefined;
}
