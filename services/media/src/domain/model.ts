import type { AudioRates, ImagePricing, VideoPricing } from '@gateway/pricing';
import type { Strategy, Target } from '@gateway/upstream';

/** The parts of a model that this service needs. */
export interface Model {
  /** `<provider>/<model>`. */
  readonly slug: string;
  readonly active: boolean;
  /** Callable only by accounts that opted in. */
  readonly preview: boolean;
  readonly outputModalities: readonly string[];
  /** Video actions: `create`, `status`, `result`. */
  readonly workflow: readonly string[];
  readonly targets: readonly Target[];
  /** How calls are spread over its targets and their credentials. */
  readonly strategy: Strategy;
  /** Version of all its prices; records contain it. */
  readonly priceVersion: bigint;
  /** Absent: it generates no images, or has no price for them. */
  readonly image?: ImageOffer;
  /** Absent: it generates no videos, or has no price for them. */
  readonly video?: VideoOffer;
  /** Absent: it outputs neither speech nor transcriptions, or has no price for them. */
  readonly audio?: AudioOffer;
}

export interface ImageOffer {
  readonly features: ImageFeatures;
  readonly pricing: ImagePricing;
}

/** Options of an image model. An empty list means that callers can't choose. */
export interface ImageFeatures {
  /** As `1024x1024`; with a rule, the usual sizes. */
  readonly sizes: readonly string[];
  /** Absent: only the listed sizes. */
  readonly sizeRule?: ImageSizeRule;
  readonly defaultSize: string;
  readonly qualities: readonly string[];
  readonly defaultQuality: string;
  /** The first entry is the default. */
  readonly formats: readonly string[];
  /** Maximum images of one call. */
  readonly maxN: number;
  /** 0: no edits. */
  readonly maxInputImages: number;
  readonly mask: boolean;
  /** Supports a transparent background. */
  readonly transparent: boolean;
  /** Maximum tokens of one generated image. */
  readonly outputTokens: readonly ImageOutputTokens[];
  /** `outputTokens` are for 1024x1024 and scale with the area, rounded up. */
  readonly outputTokensByArea: boolean;
  /** Maximum tokens of text and reasoning that accompany the images. */
  readonly textOutputTokens: number;
  /** Maximum characters of a prompt; 0 if not known. */
  readonly maxPromptChars: number;
  /** Maximum tokens of one input image; 0 if not known. */
  readonly maxInputImageTokens: number;
}

/** Any size within these bounds is accepted. */
export interface ImageSizeRule {
  /** Both edges are multiples of it. */
  readonly stepPx: number;
  readonly maxEdgePx: number;
  /** Maximum ratio of the long edge to the short edge. */
  readonly maxRatio: number;
  readonly minPixels: number;
  readonly maxPixels: number;
}

/** An empty size or quality matches any. */
export interface ImageOutputTokens {
  readonly size: string;
  readonly quality: string;
  readonly tokens: number;
}

export interface VideoOffer {
  readonly features: VideoFeatures;
  readonly pricing: VideoPricing;
}

/** Options of a video model. An empty list means that callers can't choose. */
export interface VideoFeatures {
  /** Seconds; empty: every whole number from minimum to maximum. */
  readonly durations: readonly number[];
  readonly minDuration: number;
  readonly maxDuration: number;
  readonly defaultDuration: number;
  readonly aspectRatios: readonly string[];
  /** Empty: the provider's default. */
  readonly defaultAspectRatio: string;
  readonly maxReferenceImages: number;
  readonly maxPromptChars: number;
  /** For tiers with their own resolution or durations. */
  readonly tiers: ReadonlyMap<string, VideoTierFeatures>;
}

export interface VideoTierFeatures {
  /** Empty: the tier has no resolution of its own. */
  readonly resolution: string;
  /** Empty: the model's durations. */
  readonly durations: readonly number[];
}

/** What a model of audio outputs. */
export type AudioOutput = 'speech' | 'transcription';

export interface AudioOffer {
  /** Tokens; 0 if not known. */
  readonly contextLength: number;
  readonly maxOutputTokens: number;
  readonly pricing: AudioRates;
}

export interface ModelLookup {
  /** Finds a model by its slug, an alias or its bare name. */
  get(name: string): Model | undefined;
}
