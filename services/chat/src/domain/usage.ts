/** Tokens as they are priced: the input kinds do not overlap, and output includes reasoning. */
export interface TokenUsage {
  /** Neither read from nor written to a cache. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Written for an hour instead of minutes, beside `cacheWrite`; absent: none. */
  readonly cacheWriteLong?: number;
  readonly output: number;
  readonly reasoning: number;
  /** The service tier that the provider says it gave; absent: it does not say. */
  readonly serviceTier?: string;
}

/** With the tier that was told beside the figures, whoever counted them. */
export const ofTier = (usage: TokenUsage, serviceTier: string | undefined): TokenUsage =>
  serviceTier === undefined ? usage : { ...usage, serviceTier };

export const NO_USAGE: TokenUsage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

/** Where the figures come from: the provider, our own count of what passed, or the journal of a killed process. */
export type UsageSource = 'provider' | 'counted' | 'recovered';

/** How a provider counts: whether a part is inside the figure it belongs to, or beside it. */
export interface UsageMode {
  readonly reasoning: 'included' | 'apart';
}
