import type { TokenPricing, TokenRates } from '../domain/model';
import { EntryRejected, NOT_CHAT } from './price-list';

/** Prices of a list in nano-USD per million tokens. Absent: the list has no such price. */
export interface ListedRates {
  input?: bigint;
  output?: bigint;
  cacheRead?: bigint;
  cacheWrite?: bigint;
  cacheWriteLong?: bigint;
  audio?: bigint;
  audioCacheRead?: bigint;
  audioOutput?: bigint;
  /** Dimensions that the catalog bills as input or output. */
  reasoning?: bigint;
  image?: bigint;
}

export interface ListedPrices {
  /** The model takes audio; without a price of its own, audio costs as much as text. */
  readonly hears: boolean;
  readonly base: ListedRates;
  /** By the input length above which they apply. */
  readonly longContexts: ReadonlyMap<number, ListedRates>;
  readonly serviceTiers: ReadonlyMap<string, ListedRates>;
  /** Dimensions that the catalog can't bill and calls can avoid. */
  readonly unpriced: Iterable<string>;
}

const MAX_THRESHOLD = 2_000_000_000;

/**
 * Returns the catalog's pricing and the dimensions that it can't bill. No usage is billed below the list's price:
 *
 * | in the list | result |
 * | --- | --- |
 * | no input or output price, or free output of a model with paid input (embeddings, routers) | rejected |
 * | several long-context thresholds | rejected |
 * | reasoning above output, or images above input: part of the counts that the catalog bills | rejected |
 * | reasoning below output | unpriced |
 * | no price of the audio that the model takes | that of text |
 * | a long context without the base's price of audio | the base's, or that of its text if it is higher |
 * | a cache price of 0 beside a paid input, which lists write for "none" | absent: the catalog bills input |
 * | a long context without the cache writes that the model prices above input | rejected; hour-long writes: unpriced |
 * | a service tier without input, output or such cache writes, or of a model with a long context, for which a tier of the catalog has no price | unpriced |
 *
 * @throws EntryRejected
 */
export function assemblePricing(listed: ListedPrices): {
  pricing: TokenPricing;
  unpriced: readonly string[];
} {
  const unpriced = new Set(listed.unpriced);
  if (listed.longContexts.size > 1) throw new EntryRejected('more than one long-context threshold');
  checkBase(listed.base);
  const hearsAsText = listed.hears && listed.base.audio === undefined;
  const base = toRates(listed.base, hearsAsText, unpriced);
  const [threshold] = listed.longContexts;
  const longContext = threshold && longRates(threshold, base, hearsAsText, unpriced);
  return {
    pricing: {
      ...base,
      // A write that the long context doesn't price can't be sold to any call.
      ...(longContext && longContext.cacheWriteLongNano === undefined && { cacheWriteLongNano: undefined }),
      serviceTiers: tierRates(listed.serviceTiers, base, longContext !== undefined, hearsAsText, unpriced),
      longContext,
      unitNano: {},
    },
    unpriced: [...unpriced],
  };
}

function checkBase({ input, output }: ListedRates): void {
  if (input === undefined) throw new EntryRejected('no input price');
  if (output === undefined) throw new EntryRejected('no output price');
  if (output === 0n && input > 0n) throw new EntryRejected(`${NOT_CHAT}: output is free and input is not`);
}

function longRates(
  [aboveTokens, rates]: readonly [number, ListedRates],
  base: TokenRates,
  hearsAsText: boolean,
  unpriced: Set<string>,
): NonNullable<TokenPricing['longContext']> {
  if (!Number.isSafeInteger(aboveTokens) || aboveTokens < 1 || aboveTokens > MAX_THRESHOLD) {
    throw new EntryRejected('invalid long-context threshold');
  }
  // The catalog applies the base's input and output where the long context has none.
  const { input = base.inputNano, output = base.outputNano } = rates;
  const long = toRates(
    { ...rates, ...(input !== undefined && { input }), ...(output !== undefined && { output }) },
    hearsAsText,
    unpriced,
  );
  if (lacksCacheWrite(long, base)) throw new EntryRejected('long context has no cache write price');
  if (base.cacheWriteLongNano !== undefined && long.cacheWriteLongNano === undefined)
    unpriced.add('cache_write_1h');
  return {
    aboveTokens,
    ...long,
    audioInputNano: long.audioInputNano ?? higher(base.audioInputNano, long.inputNano),
    audioOutputNano: long.audioOutputNano ?? higher(base.audioOutputNano, long.outputNano),
  };
}

/** Returns the higher price of audio; undefined if the model has none. */
const higher = (audio: bigint | undefined, text: bigint | undefined): bigint | undefined =>
  audio !== undefined && text !== undefined && text > audio ? text : audio;

function tierRates(
  tiers: ListedPrices['serviceTiers'],
  base: TokenRates,
  hasLongContext: boolean,
  hearsAsText: boolean,
  unpriced: Set<string>,
): Record<string, TokenRates> {
  const sold: [string, TokenRates][] = [];
  for (const [tier, listed] of tiers) {
    const rates = toRates(listed, hearsAsText, unpriced);
    const complete = rates.inputNano !== undefined && rates.outputNano !== undefined;
    if (complete && !hasLongContext && !lacksCacheWrite(rates, base)) sold.push([tier, rates]);
    else unpriced.add(`service tier ${tier}`);
  }
  return Object.fromEntries(sold);
}

/** Whether cache writes would be billed as input although they cost more. */
const lacksCacheWrite = (rates: TokenRates, base: TokenRates): boolean =>
  rates.cacheWriteNano === undefined && (base.cacheWriteNano ?? 0n) > (base.inputNano ?? 0n);

function toRates(listed: ListedRates, hearsAsText: boolean, unpriced: Set<string>): TokenRates {
  const { input, output, reasoning = output, image = 0n, audio = hearsAsText ? input : undefined } = listed;
  if (reasoning !== undefined && output !== undefined) {
    if (reasoning > output) throw new EntryRejected('reasoning costs more than output');
    if (reasoning < output) unpriced.add('reasoning');
  }
  if (image > (input ?? image)) throw new EntryRejected('image input costs more than text');
  const cache = (price: bigint | undefined) => (price === 0n && input !== 0n ? undefined : price);
  return {
    inputNano: input,
    outputNano: output,
    cacheReadNano: cache(listed.cacheRead),
    cacheWriteNano: cache(listed.cacheWrite),
    cacheWriteLongNano: cache(listed.cacheWriteLong),
    audioInputNano: audio,
    audioCacheReadNano: audio === undefined ? undefined : cache(audioCacheRead(listed, hearsAsText)),
    audioOutputNano: listed.audioOutput,
  };
}

const audioCacheRead = (listed: ListedRates, hearsAsText: boolean): bigint | undefined =>
  listed.audioCacheRead ?? (hearsAsText ? listed.cacheRead : undefined);
