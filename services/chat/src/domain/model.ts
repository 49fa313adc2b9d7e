import { type ModelAccess, ModelWithheld, mayCall } from '@gateway/metering';
import { GatewayError } from '@gateway/proto';
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

export interface ModelLookup {
  /** Which models there are is known. */
  readonly loaded: boolean;
  get(slug: string): Model | undefined;
}

/** Lowercase, one slash, no white space; what the parts may hold is that of public model names. */
const SLUG = /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._:-]*$/;

/** A model that speaks, has a price, and whose provider is set up here. */
export function isServed(model: Model, providers: ReadonlyMap<string, unknown>): boolean {
  if (!model.outputModalities.includes('text') || !model.pricing) return false;
  return model.targets.some(({ provider }) => providers.has(provider));
}

/**
 * The chat model of that slug, if this key may call it.
 * @throws GatewayError `invalid_model` when it is no slug; `model_not_found` for every other reason alike,
 * as a ModelWithheld where the key is the reason; `internal_error` while no models are known.
 */
export function resolveChatModel(models: ModelLookup, slug: string, access: ModelAccess): Model {
  if (!SLUG.test(slug)) throw new GatewayError('invalid_model');
  if (!models.loaded) throw noCatalog();
  const model = models.get(slug);
  if (!model?.active || !model.outputModalities.includes('text')) throw new GatewayError('model_not_found');
  if (!mayCall(model, access)) throw new ModelWithheld(model);
  return model;
}

/** A model that is not found may well be there. */
export const noCatalog = (): GatewayError =>
  new GatewayError('internal_error', { cause: new Error('the catalog has not come yet') });
