import { GatewayError } from '@gateway/errors';
import {
  canCall,
  findModelByName,
  type ListedModel,
  ModelNotAllowed,
  type ModelPermissions,
} from '@gateway/models';
import type { Target } from '@gateway/upstream';

/** Nano-USD per million tokens. An absent price means that what it would pay for is refused. */
export interface TokenPrice {
  readonly inputNano: bigint;
  readonly outputNano: bigint;
  readonly cacheReadNano?: bigint;
  readonly cacheWriteNano?: bigint;
  /** Of writes that last an hour instead of minutes. */
  readonly cacheWriteLongNano?: bigint;
  /** When the whole input is longer than this, all of the call's tokens cost `price`. */
  readonly longContext?: { readonly aboveTokens: number; readonly price: TokenPrice };
}

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
  /** What its provider has to know of it when a request is written. */
  readonly capabilities: ReadonlySet<string>;
  /** It thinks in tokens that are billed and not shown. */
  readonly hidesReasoning: boolean;
  readonly contextLength: number;
  readonly maxOutputTokens: number;
  readonly outputFloorTokens: number;
  /** Most tokens that one image of a request is counted as; 0: not known. */
  readonly maxImageTokens: number;
  readonly targets: readonly Target[];
  /** Absent: not sold by the token, or not priced. */
  readonly pricing?: Pricing;
  readonly createdAtMs: number;
}

/** A catalog entry of any kind: model lists show images and videos too. */
export interface CatalogModel extends Model {
  readonly aliases: readonly string[];
  readonly listed: ListedModel;
}

export interface ModelLookup {
  /** Which models there are is known. */
  readonly loaded: boolean;
  /** By slug, alias or bare name. */
  get(name: string): Model | undefined;
}

/** A model that speaks, has a price, and whose provider is set up here. */
export function isServed(model: Model, providers: ReadonlyMap<string, unknown>): boolean {
  if (!model.outputModalities.includes('text') || !model.pricing) return false;
  return model.targets.some(({ provider }) => providers.has(provider));
}

/**
 * Whether the model makes images or videos, has a price, and its provider is set up in media.
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
  return (makesImages || makesVideos) && targets.some(({ provider }) => isMediaProvider(provider));
}

/**
 * Returns the chat model of that slug, alias or bare name, if this key may call it.
 * @throws GatewayError `invalid_model` when it is no model name; `model_not_found` for every other reason alike; both as
 * a ModelPermissionError where the key is the reason; `internal_error` while no models are known.
 */
export function resolveChatModel(models: ModelLookup, name: string, access: ModelPermissions): Model {
  if (!models.loaded) throw noCatalog();
  const model = findModelByName(models, name, access);
  if (!model?.active || !model.outputModalities.includes('text')) throw new GatewayError('model_not_found');
  if (!canCall(model, access)) throw new ModelNotAllowed(model);
  return model;
}

/** A model that is not found may well be there. */
export const noCatalog = (): GatewayError =>
  new GatewayError('internal_error', { cause: new Error('the catalog has not come yet') });
