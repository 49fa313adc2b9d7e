/** What only some calls use. Its rates are left out of the bounds of all other calls, which they would multiply. */
export type CallNeed = 'longCache' | 'audioInput' | 'audioOutput';

interface TokenRateFacts<Name extends string = TokenRate> {
  /** For people. */
  readonly label: string;
  /** The part of a call in which the tokens are. */
  readonly side: 'input' | 'output';
  /** The figure of the usage that includes these tokens; undefined: no other figure includes them. */
  readonly partOf?: Name;
  /** Without this rate, its tokens cost the first of these that the price has. */
  readonly fallbacks: readonly Name[];
  /** Undefined: any call may use such tokens. */
  readonly need?: CallNeed;
}

/**
 * The rates of tokens by their name in the API, in configuration files, in the database and in usage, in the order in which they
 * are shown. A call is refused if its model has no rate of input or output, or none for what the call needs. Tokens that a provider
 * reports regardless cost the fallback.
 */
const TOKEN_RATE_FACTS = {
  input: { label: 'Input', side: 'input', fallbacks: [] },
  output: { label: 'Output', side: 'output', fallbacks: [] },
  cache_read: { label: 'Cache read', side: 'input', fallbacks: ['input'] },
  cache_write: { label: 'Cache write', side: 'input', fallbacks: ['input'] },
  /** Cache writes with a lifetime of an hour instead of minutes. */
  cache_write_1h: {
    label: 'Cache write, 1 h',
    side: 'input',
    need: 'longCache',
    fallbacks: ['cache_write', 'input'],
  },
  audio_input: {
    label: 'Audio input',
    side: 'input',
    partOf: 'input',
    need: 'audioInput',
    fallbacks: ['input'],
  },
  audio_cache_read: {
    label: 'Audio cache read',
    side: 'input',
    partOf: 'cache_read',
    need: 'audioInput',
    fallbacks: ['audio_input', 'cache_read', 'input'],
  },
  audio_output: {
    label: 'Audio output',
    side: 'output',
    partOf: 'output',
    need: 'audioOutput',
    fallbacks: ['output'],
  },
} as const satisfies Readonly<Record<string, TokenRateFacts<string>>>;

export type TokenRate = keyof typeof TOKEN_RATE_FACTS;
export const TOKEN_RATES: Readonly<Record<TokenRate, TokenRateFacts>> = TOKEN_RATE_FACTS;
export const TOKEN_RATE_NAMES = Object.keys(TOKEN_RATES) as readonly TokenRate[];

interface RateFacts {
  /** For people. */
  readonly label: string;
  /** Undefined: per million tokens. */
  readonly per?: string;
}

/** The rates of image models beside their prices per image. */
export const IMAGE_RATES = {
  text_input: { label: 'Text input' },
  image_input: { label: 'Image input' },
  image_output: { label: 'Image output' },
  /** Text and reasoning that accompany an image. Without this rate they cost as much as image output. */
  text_output: { label: 'Text output' },
  /** Each input image, rounded up to whole megapixels; added to the price per image. */
  input_megapixel: { label: 'Input megapixel', per: 'per megapixel' },
} as const satisfies Readonly<Record<string, RateFacts>>;

export type ImageRate = keyof typeof IMAGE_RATES;
export const IMAGE_RATE_NAMES = Object.keys(IMAGE_RATES) as readonly ImageRate[];

/** The rates of speech and transcriptions: by characters or duration, or by tokens. */
export const AUDIO_RATES = {
  million_characters: { label: 'Million characters of speech', per: 'per million characters' },
  hour: { label: 'Hour of transcribed audio', per: 'per hour' },
  text_input: { label: 'Text input' },
  audio_input: { label: 'Audio input' },
  text_output: { label: 'Text output' },
  audio_output: { label: 'Audio output' },
} as const satisfies Readonly<Record<string, RateFacts>>;

export type AudioRate = keyof typeof AUDIO_RATES;
export const AUDIO_RATE_NAMES = Object.keys(AUDIO_RATES) as readonly AudioRate[];

/** Units of usage that are not tokens and that a model may have a price for, with the output of the models that use them. */
export const PRICED_UNITS = {
  web_search: { label: 'Web search', output: 'text' },
  /** A prompt for which the provider searches the web, however often. */
  web_search_prompt: { label: 'Prompt with web search', output: 'text' },
  search_unit: { label: 'Rerank search', output: 'rerank' },
} as const;

export type PricedUnit = keyof typeof PRICED_UNITS;
export const PRICED_UNIT_NAMES = Object.keys(PRICED_UNITS) as readonly PricedUnit[];

/** Returns an object with the same value for each name, such as the schema of an amount for each rate. */
export const eachOf = <Name extends string, Value>(
  names: readonly Name[],
  value: Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;

const FACTS: Readonly<Record<string, RateFacts>> = {
  ...IMAGE_RATES,
  ...AUDIO_RATES,
  ...TOKEN_RATES,
  ...PRICED_UNITS,
};

/** Returns the name of a rate or unit for people; its name in the API if it is not known. */
export const labelOf = (rate: string): string => FACTS[rate]?.label ?? rate;

/** Returns what a rate is the price of: `per hour`. */
export const perOf = (rate: string): string => FACTS[rate]?.per ?? 'per million tokens';

const EARLIER_NAMES: ReadonlyMap<string, string> = new Map(
  [...TOKEN_RATE_NAMES, ...IMAGE_RATE_NAMES, ...AUDIO_RATE_NAMES].map((rate) => [
    rate,
    rate === 'cache_write_1h'
      ? 'cacheWriteLong'
      : rate.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  ]),
);

/** Returns the name that the release before has for a rate and its tokens in messages and in the journal: `cacheRead`. */
export const earlierNameOf = (rate: string): string => EARLIER_NAMES.get(rate) ?? rate;
