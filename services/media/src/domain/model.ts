import type { Target } from '@gateway/upstream';

/** A model as this service needs it. */
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
  /** Of all its prices together; records keep it. */
  readonly priceVersion: bigint;
  /** Absent: it makes no images, or has no price for them. */
  readonly image?: ImageOffer;
  /** Absent: it makes no videos, or has no price for them. */
  readonly video?: VideoOffer;
}

export interface ImageOffer {
  readonly features: ImageFeatures;
  readonly pricing: ImagePricing;
}

/** What an image model takes. An empty list: callers can't choose. */
export interface ImageFeatures {
  /** As `1024x1024`; beside those that the rule allows. */
  readonly sizes: readonly string[];
  readonly sizeRule?: ImageSizeRule;
  /** What is made when the caller names none; empty: not known. */
  readonly defaultSize: string;
  readonly qualities: readonly string[];
  readonly defaultQuality: string;
  readonly formats: readonly string[];
  readonly backgrounds: readonly string[];
  /** Most images of one call. */
  readonly maxImages: number;
  /** 0: no edits. */
  readonly maxInputImages: number;
  readonly mask: boolean;
  /** Most characters of a prompt; 0: not known. */
  readonly maxPromptChars: number;
  /** Most tokens that one image sent is counted as; 0: not known. */
  readonly maxInputImageTokens: number;
  /** Most tokens of one image made; an empty size or quality stands for any. */
  readonly outputTokens: readonly ImageOutputTokens[];
}

/** Any size within these bounds will do. */
export interface ImageSizeRule {
  /** Both edges are multiples of it. */
  readonly step: number;
  readonly minPixels: number;
  readonly maxPixels: number;
  readonly maxEdge: number;
  /** Long edge to short edge at most. */
  readonly maxRatio: number;
}

export interface ImageOutputTokens {
  readonly size: string;
  readonly quality: string;
  readonly tokens: number;
}

/** Nano-USD, of one image or of a million tokens. An absent price: that is not sold. */
export interface ImagePricing {
  /** An empty size or quality stands for any. */
  readonly perImage: readonly {
    readonly size: string;
    readonly quality: string;
    readonly priceNano: bigint;
  }[];
  readonly textInputNano?: bigint;
  readonly imageInputNano?: bigint;
  readonly imageOutputNano?: bigint;
}

export interface VideoOffer {
  readonly features: VideoFeatures;
  readonly pricing: VideoPricing;
}

/** What a video model takes. An empty list: callers can't choose. */
export interface VideoFeatures {
  /** Seconds; empty: every whole number from least to most. */
  readonly durations: readonly number[];
  readonly minDuration: number;
  readonly maxDuration: number;
  readonly defaultDuration: number;
  readonly aspectRatios: readonly string[];
  /** Empty: the provider's own choice. */
  readonly defaultAspectRatio: string;
  readonly maxReferenceImages: number;
  readonly maxPromptChars: number;
  /** By tier, for those that stand for a resolution or have durations of their own. */
  readonly tiers: ReadonlyMap<string, VideoTierFeatures>;
}

export interface VideoTierFeatures {
  /** Empty: a tier says nothing about it. */
  readonly resolution: string;
  /** Empty: as the model. */
  readonly durations: readonly number[];
}

/** Nano-USD per second, by tier. */
export interface VideoPricing {
  readonly tiers: readonly string[];
  /** Absent: a caller has to name one. */
  readonly defaultTier?: string;
  readonly perSecondNano: ReadonlyMap<string, bigint>;
}

export interface ModelLookup {
  get(slug: string): Model | undefined;
}
