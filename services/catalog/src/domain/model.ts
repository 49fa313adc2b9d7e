import type { Pricing, TokenPricing } from '@gateway/pricing';
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
