import type { Strategy } from './strategy';

export type ModelStatus = 'active' | 'disabled' | 'delisted';

/** A provider account that serves a model; lower priority is tried first. */
export interface Target {
  readonly provider: string;
  readonly upstreamModel: string;
  readonly weight: number;
  readonly priority: number;
  /** 0: the default of the service that answers. */
  readonly connectTimeoutMs: number;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** What the provider charges; undefined if not known. */
  readonly cost: TokenPricing | undefined;
}

/** A catalog entry as operators write it, without the fields that the store adds. */
export interface ModelEntry {
  readonly slug: string;
  /** Other names, with or without a provider; no two models share a name. */
  readonly aliases: readonly string[];
  readonly name: string;
  readonly status: ModelStatus;
  readonly preview: boolean;
  readonly successor: string | undefined;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly contextLength: number;
  readonly maxOutputTokens: number;
  /** Minimum output tokens for which a lowered call is still worth sending. */
  readonly outputFloorTokens: number;
  /** Maximum tokens of one image in a request; 0 if not known. */
  readonly maxImageTokens: number;
  readonly capabilities: readonly string[];
  /** Video actions: `create`, `status`, `result`. */
  readonly workflow: readonly string[];
  readonly targets: readonly Target[];
  /** How calls are spread over targets of one priority. */
  readonly strategy: Strategy;
  /** Slugs of the models that are tried, in this order, when every target has failed. */
  readonly fallbackModels: readonly string[];
  readonly pricing: Pricing;
  /** Options of a model that generates images or videos. */
  readonly image: ImageFeatures | undefined;
  readonly video: VideoFeatures | undefined;
}

export interface Model extends ModelEntry {
  readonly priceVersion: bigint;
  readonly createdAtMs: number;
}

/** Amounts are integer nano-USD. */
export interface Pricing {
  readonly tokens: TokenPricing | undefined;
  readonly image: ImagePricing | undefined;
  readonly video: VideoPricing | undefined;
  readonly audio: AudioPricing | undefined;
  /** Source of the prices, and the day on which they were read (`YYYY-MM-DD`). */
  readonly source: string;
  readonly sourceDate: string;
}

/**
 * Units of usage that are not tokens and that a model may have a price for: searches of the web, prompts for which the provider
 * searched the web, however often, and searches of a rerank model.
 */
export const PRICED_UNITS = ['web_search', 'web_search_prompt', 'search_unit'] as const;

/**
 * Nano-USD per million tokens. A call is refused if its model has no input or output price. Without a cache price, cached tokens
 * cost the input price; without `cacheWriteLongNano`, cache writes with a lifetime of an hour are refused; without `audioInputNano`
 * audio in prompts, without `audioOutputNano` spoken replies.
 */
export interface TokenRates {
  readonly inputNano: bigint | undefined;
  readonly outputNano: bigint | undefined;
  readonly cacheReadNano: bigint | undefined;
  readonly cacheWriteNano: bigint | undefined;
  /** Price of cache writes with a lifetime of an hour instead of minutes. */
  readonly cacheWriteLongNano: bigint | undefined;
  /** Tokens of audio in a prompt. */
  readonly audioInputNano: bigint | undefined;
  /** Undefined: cached audio costs `audioInputNano`. */
  readonly audioCacheReadNano: bigint | undefined;
  readonly audioOutputNano: bigint | undefined;
}

export interface TokenPricing extends TokenRates {
  readonly serviceTiers: Readonly<Record<string, TokenRates>>;
  /** Prices of all tokens of a call whose input is longer than `aboveTokens`. */
  readonly longContext: (TokenRates & { readonly aboveTokens: number }) | undefined;
  /** Nano-USD per unit of usage that is not counted in tokens, by the name of the unit. */
  readonly unitNano: Readonly<Record<string, bigint>>;
}

export interface ImagePricing {
  readonly perImage: readonly {
    readonly size: string;
    readonly quality: string;
    readonly priceNano: bigint;
  }[];
  readonly textInputNano: bigint | undefined;
  readonly imageInputNano: bigint | undefined;
  readonly imageOutputNano: bigint | undefined;
  /** For text and reasoning that accompany an image; undefined: the price of image output. */
  readonly textOutputNano: bigint | undefined;
  /** For each input image, rounded up to whole megapixels; added to `perImage`. */
  readonly inputMegapixelNano: bigint | undefined;
}

/** Prices of speech and transcriptions: by characters or duration, or by tokens. */
export interface AudioPricing {
  /** Per million characters of the text that is spoken. */
  readonly millionCharactersNano: bigint | undefined;
  /** Per hour of the audio that is transcribed. */
  readonly hourNano: bigint | undefined;
  /** Per million tokens. */
  readonly textInputNano: bigint | undefined;
  readonly audioInputNano: bigint | undefined;
  readonly textOutputNano: bigint | undefined;
  readonly audioOutputNano: bigint | undefined;
}

/** Nano-USD per second of video, by tier. */
export interface VideoPricing {
  readonly tiers: readonly string[];
  readonly defaultTier: string | undefined;
  readonly perSecondNano: Readonly<Record<string, bigint>>;
}

/** Options of an image model; proto/gateway/catalog/v1/catalog.proto explains the fields. */
export interface ImageFeatures {
  readonly sizes: readonly string[];
  readonly sizeRule: ImageSizeRule | undefined;
  readonly defaultSize: string;
  readonly qualities: readonly string[];
  readonly defaultQuality: string;
  readonly formats: readonly string[];
  readonly maxN: number;
  readonly maxInputImages: number;
  readonly mask: boolean;
  readonly transparent: boolean;
  readonly outputTokens: readonly {
    readonly size: string;
    readonly quality: string;
    readonly tokens: number;
  }[];
  readonly outputTokensByArea: boolean;
  readonly textOutputTokens: number;
  readonly maxPromptChars: number;
}

export interface ImageSizeRule {
  readonly stepPx: number;
  readonly maxEdgePx: number;
  readonly maxRatio: number;
  readonly minPixels: number;
  readonly maxPixels: number;
}

/** Options of a video model; durations are in seconds. */
export interface VideoFeatures {
  readonly durations: readonly number[];
  readonly minDuration: number;
  readonly maxDuration: number;
  readonly defaultDuration: number;
  readonly aspectRatios: readonly string[];
  readonly defaultAspectRatio: string;
  readonly maxReferenceImages: number;
  readonly maxPromptChars: number;
  readonly tiers: Readonly<Record<string, VideoTierFeatures>>;
}

export interface VideoTierFeatures {
  readonly resolution: string;
  readonly durations: readonly number[];
}
