import { GatewayError } from '@gateway/errors';
import type { AudioPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/AudioPricing';
import type { ImageFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type { ImagePricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImagePricing';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { ModelStatus__Output } from '@gateway/proto/generated/gateway/catalog/v1/ModelStatus';
import type { Pricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import type { TokenPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/TokenPricing';
import type { VideoPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/VideoPricing';
import type {
  AudioPricing,
  ImageFeatures,
  ImagePricing,
  ModelEntry,
  ModelStatus,
  Pricing,
  TokenPricing,
  TokenRates,
  VideoPricing,
} from '../domain/model';
import { DEFAULT_STRATEGY, type Strategy } from '../domain/strategy';

const STATUS: Readonly<Record<ModelStatus__Output, ModelStatus | undefined>> = {
  MODEL_STATUS_ACTIVE: 'active',
  MODEL_STATUS_DISABLED: 'disabled',
  MODEL_STATUS_DELISTED: 'delisted',
  MODEL_STATUS_UNSPECIFIED: undefined,
};

/** Throws `invalid_request` for a status that this version does not know. */
export function fromProtoStatus(status: ModelStatus__Output): ModelStatus {
  const known = STATUS[status];
  if (known) return known;
  throw new GatewayError('invalid_request', { detail: 'status: must be active, disabled or delisted' });
}

/** Converts the message without validation. The default status is `active`, the default weight 1. */
export function fromProtoModel(model: Model__Output | null): ModelEntry {
  if (!model) throw new GatewayError('invalid_request', { detail: 'model is required' });
  return {
    slug: model.slug,
    aliases: model.aliases,
    name: model.name,
    status: model.status === 'MODEL_STATUS_UNSPECIFIED' ? 'active' : fromProtoStatus(model.status),
    preview: model.preview,
    successor: model.successor || undefined,
    inputModalities: model.inputModalities,
    outputModalities: model.outputModalities,
    contextLength: model.contextLength,
    maxOutputTokens: model.maxOutputTokens,
    outputFloorTokens: model.outputFloorTokens,
    maxImageTokens: model.maxImageTokens,
    capabilities: model.capabilities,
    workflow: model.workflow,
    targets: model.targets.map(({ cost, ...target }) => ({
      ...target,
      weight: target.weight || 1,
      cost: cost ? fromProtoTokens(cost) : undefined,
    })),
    // The seed's rules refuse unknown ones.
    strategy: (model.strategy || DEFAULT_STRATEGY) as Strategy,
    fallbackModels: model.fallbackModels,
    pricing: fromProtoPricing(model.pricing),
    image: model.image ? fromProtoImageFeatures(model.image) : undefined,
    video: model.video ?? undefined,
  };
}

function fromProtoImageFeatures({ sizeRule, ...image }: ImageFeatures__Output): ImageFeatures {
  return {
    ...image,
    sizeRule: sizeRule
      ? {
          ...sizeRule,
          minPixels: Number(sizeRule.minPixels),
          maxPixels: Number(sizeRule.maxPixels),
        }
      : undefined,
  };
}

/** The store assigns the version. */
export function fromProtoPricing(pricing: Pricing__Output | null): Pricing {
  const { source = '', sourceDate = '', tokens, image, video, audio } = pricing ?? {};
  return {
    source,
    sourceDate,
    tokens: tokens ? fromProtoTokens(tokens) : undefined,
    image: image ? fromProtoImage(image) : undefined,
    video: video ? fromProtoVideo(video) : undefined,
    audio: audio ? fromProtoAudio(audio) : undefined,
  };
}

function fromProtoTokens(tokens: TokenPricing__Output): TokenPricing {
  const { longContext, longContextAboveTokens } = tokens;
  return {
    ...fromProtoRates(tokens),
    serviceTiers: mapValues(tokens.serviceTiers, fromProtoRates),
    longContext: longContext
      ? { aboveTokens: longContextAboveTokens, ...fromProtoRates(longContext) }
      : undefined,
    unitNano: mapValues(tokens.unitNano, BigInt),
  };
}

function fromProtoRates(rates: TokenPricing__Output): TokenRates {
  return {
    inputNano: amount(rates.inputNano),
    outputNano: amount(rates.outputNano),
    cacheReadNano: amount(rates.cacheReadNano),
    cacheWriteNano: amount(rates.cacheWriteNano),
    cacheWriteLongNano: amount(rates.cacheWriteLongNano),
    audioInputNano: amount(rates.audioInputNano),
    audioCacheReadNano: amount(rates.audioCacheReadNano),
    audioOutputNano: amount(rates.audioOutputNano),
  };
}

function fromProtoImage(image: ImagePricing__Output): ImagePricing {
  return {
    perImage: image.perImage.map(({ priceNano, ...rest }) => ({ ...rest, priceNano: BigInt(priceNano) })),
    textInputNano: amount(image.textInputNano),
    imageInputNano: amount(image.imageInputNano),
    imageOutputNano: amount(image.imageOutputNano),
    textOutputNano: amount(image.textOutputNano),
    inputMegapixelNano: amount(image.inputMegapixelNano),
  };
}

const fromProtoAudio = (audio: AudioPricing__Output): AudioPricing => ({
  millionCharactersNano: amount(audio.millionCharactersNano),
  hourNano: amount(audio.hourNano),
  textInputNano: amount(audio.textInputNano),
  audioInputNano: amount(audio.audioInputNano),
  textOutputNano: amount(audio.textOutputNano),
  audioOutputNano: amount(audio.audioOutputNano),
});

function fromProtoVideo(video: VideoPricing__Output): VideoPricing {
  return {
    tiers: video.tiers,
    defaultTier: video.defaultTier || undefined,
    perSecondNano: mapValues(video.perSecondNano, BigInt),
  };
}

const amount = (nano: string | undefined): bigint | undefined =>
  nano === undefined ? undefined : BigInt(nano);

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
