import type { ListedPricing } from '@gateway/pricing';
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
  readonly pricing: ListedPricing | null;
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
