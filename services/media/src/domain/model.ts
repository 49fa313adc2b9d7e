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
  /** As `1024x1024`; with a rule: the usual ones. */
  readonly sizes: readonly string[];
  /** Absent: no sizes but those listed. */
  readonly sizeRule?: ImageSizeRule;
  readonly defaultSize: string;
  readonly qualities: readonly string[];
  readonly defaultQuality: string;
  /** The first is what callers get who name none. */
  readonly formats: readonly string[];
  /** Most images of one call. */
  readonly maxN: number;
  /** 0: no edits. */
  readonly maxInputImages: number;
  readonly mask: boolean;
  /** A transparent background can be asked for. */
  readonly transparent: boolean;
  /** Most tokens of one image made. */
  readonly outputTokens: readonly ImageOutputTokens[];
  /** `outputTokens` are of 1024x1024 and grow with the area, rounded up. */
  readonly outputTokensByArea: boolean;
  /** Most tokens of words and thoughts beside the images. */
  readonly textOutputTokens: number;
  /** Most characters of a prompt; 0: not known. */
  readonly maxPromptChars: number;
  /** Most tokens that one image sent is counted as; 0: not known. */
  readonly maxInputImageTokens: number;
}

/** Any size within these bounds will do. */
export interface ImageSizeRule {
  /** Both edges are multiples of it. */
  readonly stepPx: number;
  readonly maxEdgePx: number;
  /** Long edge to short edge at most. */
  readonly maxRatio: number;
  readonly minPixels: number;
  readonly maxPixels: number;
}

/** An empty size or quality stands for any. */
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
  /** Of words and thoughts beside an image; absent: as image output. */
  readonly textOutputNano?: bigint;
  /** Of each image sent, rounded up to whole megapixels, on top of `perImage`; absent: nothing there. */
  readonly inputMegapixelNano?: bigint;
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
  /** By slug, alias or bare name. */
  get(name: string): Model | undefined;
}
