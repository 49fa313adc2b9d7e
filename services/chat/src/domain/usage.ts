/** Tokens by price. The input kinds do not overlap, and output includes reasoning. */
export interface TokenUsage {
  /** Neither read from nor written to a cache. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Cache writes with a lifetime of an hour, not included in `cacheWrite`; absent: none. */
  readonly cacheWriteLong?: number;
  readonly output: number;
  readonly reasoning: number;
  /** Those tokens of `input`, `cacheRead` and `output` that are audio; absent: none. */
  readonly audio?: AudioTokens;
  /** Usage that is not counted in tokens; absent: none. */
  readonly units?: UnitCounts;
  /** The service tier that the provider reports; absent if it reports none. */
  readonly serviceTier?: string;
}

/** Tokens of audio, which are a part of the figures of the same names. */
export interface AudioTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
}

/**
 * Returns usage with the tokens that are audio, as far as its figures include them; the same object if there are none.
 * @param reported the provider's figures
 */
export function withAudio(usage: TokenUsage, reported: AudioTokens): TokenUsage {
  const audio = {
    input: Math.min(reported.input, usage.input),
    cacheRead: Math.min(reported.cacheRead, usage.cacheRead),
    output: Math.min(reported.output, usage.output),
  };
  return audio.input + audio.cacheRead + audio.output === 0 ? usage : { ...usage, audio };
}

/** Usage by the name of its unit, e.g. `web_search`. */
export type UnitCounts = Readonly<Record<string, number>>;

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

/** Returns all tokens of the prompt. */
export const inputOf = ({ input, cacheRead, cacheWrite, cacheWriteLong = 0 }: TokenUsage): number =>
  input + cacheRead + cacheWrite + cacheWriteLong;

/** Whether a provider's figures leave nothing to count: no prompt is empty, and 0 may also be a missing figure of an output. */
export const hasAllFigures = (usage: TokenUsage | undefined): boolean =>
  usage !== undefined && inputOf(usage) > 0 && usage.output > 0;

/**
 * Returns the figures of one call of which a provider has reported two: those of the larger prompt and of the larger output, the
 * later ones if they are equal. Running totals grow, and some providers repeat figures as 0.
 */
export function largerUsage(earlier: TokenUsage | undefined, later: TokenUsage): TokenUsage {
  if (!earlier) return later;
  const prompt = inputOf(later) >= inputOf(earlier) ? later : earlier;
  const reply = later.output >= earlier.output ? later : earlier;
  const { input, cacheRead, cacheWrite, cacheWriteLong = 0 } = prompt;
  const usage = {
    ...{ input, cacheRead, cacheWrite, output: reply.output, reasoning: reply.reasoning },
    ...(cacheWriteLong > 0 && { cacheWriteLong }),
  };
  const audio = {
    input: prompt.audio?.input ?? 0,
    cacheRead: prompt.audio?.cacheRead ?? 0,
    output: reply.audio?.output ?? 0,
  };
  const searches = Math.max(earlier.units?.web_search ?? 0, later.units?.web_search ?? 0);
  return withSearches(withAudio(usage, audio), searches);
}

/** Usage with what the account is charged for it. */
export interface BilledUsage extends TokenUsage {
  readonly costNano: bigint;
}

/** Adds the reported tier to the usage. */
export const ofTier = (usage: TokenUsage, serviceTier: string | undefined): TokenUsage =>
  serviceTier === undefined ? usage : { ...usage, serviceTier };

export const NO_USAGE: TokenUsage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

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
