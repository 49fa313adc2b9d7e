import { outputOfType } from '@gateway/proto/allowed-models';
import type { ImageFeatures, VideoFeatures } from './media-features';

export type ModelStatus = 'active' | 'disabled' | 'delisted';
export const MODEL_TYPES = [
  'chat',
  'image',
  'video',
  'embedding',
  'moderation',
  'rerank',
  'speech',
  'transcription',
] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

/** USD per million tokens. */
export interface TokenRates {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  /** Price of cache writes that live for an hour instead of minutes. */
  readonly cache_write_1h?: number;
  /** Audio in a prompt; absent: prompts with audio are refused. */
  readonly audio_input?: number;
  /** Absent: cached audio costs `audio_input`. */
  readonly audio_cache_read?: number;
  /** Audio of a spoken reply; absent: spoken replies are refused. */
  readonly audio_output?: number;
}

export interface ListedPricing {
  readonly currency: 'USD';
  readonly version: number;
  readonly source: string;
  readonly source_date: string;
  readonly tokens?: TokenRates & {
    readonly service_tiers: Readonly<Record<string, TokenRates>>;
    /** Price of all tokens when the input is longer than the threshold. */
    readonly long_context?: TokenRates & { readonly above_tokens: number };
    /** USD per unit of usage that is not counted in tokens. */
    readonly units: Readonly<Record<string, number>>;
  };
  readonly image?: {
    /** USD per image. */
    readonly per_image: readonly {
      readonly size: string;
      readonly quality: string;
      readonly price: number;
    }[];
    /** USD per million tokens. */
    readonly text_input?: number;
    readonly image_input?: number;
    readonly image_output?: number;
    /** For text and reasoning that accompany an image. */
    readonly text_output?: number;
    /** USD per megapixel of each input image, rounded up to whole megapixels; added to `per_image`. */
    readonly input_megapixel?: number;
  };
  readonly video?: {
    readonly tiers: readonly string[];
    readonly default_tier: string | null;
    /** USD per tier. */
    readonly per_second: Readonly<Record<string, number>>;
  };
  readonly audio?: {
    /** USD per million characters of the text that is spoken. */
    readonly million_characters?: number;
    /** USD per hour of the audio that is transcribed. */
    readonly hour?: number;
    /** USD per million tokens. */
    readonly text_input?: number;
    readonly audio_input?: number;
    readonly text_output?: number;
    readonly audio_output?: number;
  };
}

/** A catalog entry as the HTTP APIs return it. */
export interface ListedModel {
  readonly slug: string;
  readonly name: string;
  /** Other names that clients may use. */
  readonly aliases: readonly string[];
  readonly status: ModelStatus;
  readonly preview: boolean;
  readonly successor: string | null;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly context_length: number;
  readonly max_output_tokens: number;
  readonly capabilities: readonly string[];
  readonly workflow: readonly string[];
  /** Options of models that generate images; null for other models. */
  readonly image: ImageFeatures | null;
  readonly video: VideoFeatures | null;
  readonly pricing: ListedPricing | null;
  readonly created_at: string;
}

/** Returns whether the model has this type. A model that outputs both text and images has both types. */
export function isOfType(model: ListedModel, type: ModelType): boolean {
  return model.output_modalities.includes(outputOfType(type));
}
