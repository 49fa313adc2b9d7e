import { apiGet, apiPost, type Page } from './client';

export type ModelStatus = 'active' | 'disabled' | 'delisted';
export type ModelType =
  | 'chat'
  | 'image'
  | 'video'
  | 'embedding'
  | 'moderation'
  | 'rerank'
  | 'speech'
  | 'transcription';
/** The types that the playground can call. */
export type PlaygroundType = Extract<ModelType, 'chat' | 'image' | 'video'>;

/** USD per million tokens. */
export interface TokenRates {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly cache_write_1h?: number;
  readonly audio_input?: number;
  readonly audio_cache_read?: number;
  readonly audio_output?: number;
}

export interface ModelPricing {
  readonly currency: 'USD';
  readonly version: number;
  readonly source: string;
  readonly source_date: string;
  readonly tokens?: TokenRates & {
    readonly service_tiers: Readonly<Record<string, TokenRates>>;
    readonly long_context?: TokenRates & { readonly above_tokens: number };
    /** USD per unit. */
    readonly units?: Readonly<Record<string, number>>;
  };
  readonly image?: {
    /** USD per image. */
    readonly per_image: readonly {
      readonly size: string;
      readonly quality: string;
      readonly price: number;
    }[];
    readonly text_input?: number;
    readonly image_input?: number;
    readonly image_output?: number;
    readonly text_output?: number;
    /** USD per megapixel of input images, in addition to `per_image`. */
    readonly input_megapixel?: number;
  };
  readonly video?: {
    readonly tiers: readonly string[];
    readonly default_tier: string | null;
    /** USD by tier. */
    readonly per_second: Readonly<Record<string, number>>;
  };
  readonly audio?: AudioRates;
}

/** USD per million characters that are spoken, per hour that is transcribed, and per million tokens. */
export interface AudioRates {
  readonly million_characters?: number;
  readonly hour?: number;
  readonly text_input?: number;
  readonly audio_input?: number;
  readonly text_output?: number;
  readonly audio_output?: number;
}

/** An empty list: not selectable. */
export interface ImageFeatures {
  readonly sizes: readonly string[];
  readonly size_rule: {
    readonly step_px: number;
    readonly max_edge_px: number;
    readonly max_ratio: number;
    readonly min_pixels: number;
    readonly max_pixels: number;
  } | null;
  readonly default_size: string;
  readonly qualities: readonly string[];
  readonly default_quality: string;
  readonly formats: readonly string[];
  readonly max_n: number;
  /** 0: no edits. */
  readonly max_input_images: number;
  readonly mask: boolean;
  readonly transparent: boolean;
  /** 0: not known. */
  readonly max_prompt_chars: number;
}

/** Durations are in seconds. */
export interface VideoFeatures {
  /** Empty: every integer from `min_duration` to `max_duration`. */
  readonly durations: readonly number[];
  readonly min_duration: number;
  readonly max_duration: number;
  readonly default_duration: number;
  readonly aspect_ratios: readonly string[];
  readonly default_aspect_ratio: string;
  readonly max_reference_images: number;
  readonly max_prompt_chars: number;
  readonly tiers: Readonly<
    Record<string, { readonly resolution: string; readonly durations: readonly number[] }>
  >;
}

export interface Model {
  readonly slug: string;
  readonly name: string;
  /** Other names that requests may use. */
  readonly aliases: readonly string[];
  readonly status: ModelStatus;
  readonly preview: boolean;
  /** Of a single preview model: whether the account has opted in. */
  readonly opted_in?: boolean;
  readonly successor: string | null;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly context_length: number;
  readonly max_output_tokens: number;
  readonly capabilities: readonly string[];
  readonly workflow: readonly string[];
  readonly image: ImageFeatures | null;
  readonly video: VideoFeatures | null;
  readonly pricing: ModelPricing | null;
  readonly created_at: string;
}

/** The slash stays unencoded. */
export const modelPath = (slug: string): string => slug.split('/').map(encodeURIComponent).join('/');

/** Without delisted models. */
export const listModels = (type?: ModelType, cursor?: string, limit?: number) =>
  apiGet<Page<Model>>('models', { type, cursor, limit });
/** A delisted model names its successor. */
export const getModel = (slug: string) => apiGet<Model>(`models/${modelPath(slug)}`);
export const optIn = (slug: string) =>
  apiPost<Model & { readonly opted_in: true }>(`models/${modelPath(slug)}/opt-in`);
