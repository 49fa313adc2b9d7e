import {
  inputTokensOf,
  type PricedUsage,
  TOKEN_RATE_NAMES,
  TOKEN_RATES,
  type TokenRate,
  type UnitCounts,
} from '@gateway/pricing';

/** Tokens by their rate. The kinds of input do not overlap, except for those that are a part of another; output includes reasoning. */
export interface TokenUsage extends PricedUsage {
  /** Neither read from nor written to a cache. */
  readonly input: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output: number;
  readonly reasoning: number;
  /** The service tier that the provider reports; undefined if it reports none. */
  readonly serviceTier?: string;
}

/** Tokens of audio among those of the prompt that are not cached, that are, and of the reply. */
export interface AudioTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
}

/**
 * Returns usage with the tokens that are audio, as far as its figures include them; the same object if there are none.
 * @param reported the provider's figures
 */
export function withAudio(usage: TokenUsage, { input, cacheRead, output }: AudioTokens): TokenUsage {
  const audio = {
    audio_input: Math.min(input, usage.input),
    audio_cache_read: Math.min(cacheRead, usage.cache_read),
    audio_output: Math.min(output, usage.output),
  };
  const some = Object.entries(audio).filter(([, tokens]) => tokens > 0);
  return some.length === 0 ? usage : { ...usage, ...Object.fromEntries(some) };
}

/** Returns the tokens that are audio; undefined if there are none. */
export function audioOf(usage: TokenUsage): AudioTokens | undefined {
  const { audio_input: input = 0, audio_cache_read: cacheRead = 0, audio_output: output = 0 } = usage;
  return input + cacheRead + output === 0 ? undefined : { input, cacheRead, output };
}

/** Returns the tokens that were written to a cache, for minutes or for an hour. */
export const cacheWritesOf = ({ cache_write, cache_write_1h = 0 }: TokenUsage): number =>
  cache_write + cache_write_1h;

/** Both ways in which providers bill searches: each one, or the prompt. A model has a price for one of them. */
export const searchUnits = (searches: number): UnitCounts => ({
  web_search: searches,
  web_search_prompt: Math.min(searches, 1),
});

/** Adds searches of the web to the usage, unless it has more. */
export function withSearches(usage: TokenUsage, searches: number): TokenUsage {
  const known = usage.units?.web_search ?? 0;
  return searches > known ? { ...usage, units: searchUnits(searches) } : usage;
}

/** Whether a provider's figures leave nothing to count: no prompt is empty, and 0 may also be a missing figure of an output. */
export const hasAllFigures = (usage: TokenUsage | undefined): boolean =>
  usage !== undefined && inputTokensOf(usage) > 0 && usage.output > 0;

/**
 * Returns the figures of one call of which a provider has reported two: those of the larger prompt and of the larger output, the
 * later ones if they are equal. Running totals grow, and some providers repeat figures as 0.
 */
export function largerUsage(earlier: TokenUsage | undefined, later: TokenUsage): TokenUsage {
  if (!earlier) return later;
  const prompt = inputTokensOf(later) >= inputTokensOf(earlier) ? later : earlier;
  const reply = later.output >= earlier.output ? later : earlier;
  const searches = Math.max(earlier.units?.web_search ?? 0, later.units?.web_search ?? 0);
  // Some providers report running totals in every chunk.
  if (prompt === reply && prompt.serviceTier === undefined) return withSearches(prompt, searches);
  const figures: { [Rate in TokenRate]?: number } = {};
  for (const rate of TOKEN_RATE_NAMES) {
    const tokens = (TOKEN_RATES[rate].side === 'input' ? prompt : reply)[rate];
    if (tokens !== undefined) figures[rate] = tokens;
  }
  return withSearches({ ...NO_USAGE, ...figures, reasoning: reply.reasoning }, searches);
}

/** Usage with what the account is charged for it. */
export interface BilledUsage extends TokenUsage {
  readonly costNano: bigint;
}

/** Adds the reported tier to the usage. */
export const ofTier = (usage: TokenUsage, serviceTier: string | undefined): TokenUsage =>
  serviceTier === undefined ? usage : { ...usage, serviceTier };

export const NO_USAGE: TokenUsage = { input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 };

/** Source of the figures: the provider, our own count of the text that passed, or the journal of a killed process. */
export type UsageSource = 'provider' | 'counted' | 'recovered';

/**
 * Whether a provider includes a part in the figure that it belongs to. `detect`: it does so for some models only, so a part
 * that is larger than the figure is counted separately, as is one that the total has beside it. Larger reasoning that the total has
 * not is included.
 */
export type PartCounting = 'included' | 'separate' | 'detect';

/** `if_larger`: as `detect`, but the total may leave out what the output does, so larger reasoning is separate whatever the total is. */
export type ReasoningCounting = PartCounting | 'if_larger';

/** How a provider's figures count reasoning, a part of the output, and cached tokens, a part of the input. */
export interface UsageMode {
  readonly reasoning: ReasoningCounting;
  readonly cached: PartCounting;
}
