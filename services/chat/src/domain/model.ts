import { GatewayError } from '@gateway/errors';
import {
  canCall,
  findModelByName,
  type ListedModel,
  ModelNotAllowed,
  type ModelPermissions,
} from '@gateway/models';
import type { TokenPrice } from '@gateway/pricing';
import type { Strategy, Target } from '@gateway/upstream';

/** One price version of a model. */
export interface Pricing {
  readonly version: bigint;
  readonly base: TokenPrice;
  readonly serviceTiers: ReadonlyMap<string, TokenPrice>;
}

export interface Model {
  readonly slug: string;
  readonly name: string;
  readonly active: boolean;
  readonly preview: boolean;
  readonly outputModalities: readonly string[];
  /** Capabilities, which its provider reads to write a request. */
  readonly capabilities: ReadonlySet<string>;
  /** It thinks in tokens that are billed but not returned. */
  readonly hidesReasoning: boolean;
  readonly contextLength: number;
  readonly maxOutputTokens: number;
  readonly outputFloorTokens: number;
  /** Maximum tokens of one image in a request; 0 if not known. */
  readonly maxImageTokens: number;
  readonly targets: readonly Target[];
  readonly strategy: Strategy;
  /** Slugs of the models that are tried, in this order, when every target has failed. */
  readonly fallbackModels: readonly string[];
  /** Absent if the model is not priced by tokens. */
  readonly pricing?: Pricing;
  readonly createdAtMs: number;
}

/** A catalog entry of any kind: model lists include images and videos. */
export interface CatalogModel extends Model {
  readonly aliases: readonly string[];
  readonly listed: ListedModel;
}

export interface ModelLookup {
  /** Whether the catalog has been received. */
  readonly loaded: boolean;
  /** Finds a model by its slug, an alias or its bare name. */
  get(name: string): Model | undefined;
}

/** The providers that are configured here. */
export interface ConfiguredProviders {
  has(id: string): boolean;
}

/** What chat's models output. */
export const CHAT_OUTPUTS = ['text', 'embedding', 'moderation', 'rerank'] as const;
export type ChatOutput = (typeof CHAT_OUTPUTS)[number];

/** Of the models that media serves. */
const AUDIO_OUTPUTS: ReadonlySet<string> = new Set(['speech', 'transcription']);

/** Returns whether the model has that output and a price, and its provider is configured here. */
export function isServed(model: Model, output: ChatOutput, providers: ConfiguredProviders): boolean {
  if (!model.outputModalities.includes(output) || !model.pricing) return false;
  return model.targets.some(({ provider }) => providers.has(provider));
}

/**
 * Returns whether the model outputs images, videos, speech or transcriptions, has a price, and its provider is configured in media.
 * @param isMediaProvider whether media serves the provider
 */
export function isServedByMedia(
  { listed, targets }: CatalogModel,
  isMediaProvider: (provider: string) => boolean,
): boolean {
  const { output_modalities: outputs, image, video, pricing, workflow } = listed;
  const makesImages = outputs.includes('image') && image !== null && pricing?.image !== undefined;
  const makesVideos =
    outputs.includes('video') &&
    video !== null &&
    pricing?.video !== undefined &&
    workflow.includes('create');
  const isAudio = outputs.some((output) => AUDIO_OUTPUTS.has(output)) && pricing?.audio !== undefined;
  return (makesImages || makesVideos || isAudio) && targets.some(({ provider }) => isMediaProvider(provider));
}

/**
 * Returns the chat model with that slug, alias or bare name, if the key may call it.
 * @throws GatewayError `invalid_model` for an invalid model name; `model_not_found` for every other reason; both as a
 *   ModelPermissionError if the key is the reason; `internal_error` while the catalog has not been received
 */
export const resolveChatModel = (models: ModelLookup, name: string, access: ModelPermissions): Model =>
  resolveModel(models, name, 'text', access);

/** Returns the model with that name and output; throws as `resolveChatModel` does. */
export function resolveModel(
  models: ModelLookup,
  name: string,
  output: ChatOutput,
  access: ModelPermissions,
): Model {
  if (!models.loaded) throw catalogNotReceived();
  const model = findModelByName(models, name, access);
  if (!model?.active || !model.outputModalities.includes(output)) throw new GatewayError('model_not_found');
  if (!canCall(model, access)) throw new ModelNotAllowed(model);
  return model;
}

/** Used instead of `model_not_found` until the catalog has been received. */
export const catalogNotReceived = (): GatewayError =>
  new GatewayError('internal_error', { cause: new Error('the catalog has not been received yet') });
