import type { ListedPricing } from '@gateway/pricing';
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
