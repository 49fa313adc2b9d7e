import type { NamedModel } from '@gateway/models';
import type { AudioPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/AudioPricing';
import type { ImageFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImageFeatures';
import type { ImagePricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/ImagePricing';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { VideoFeatures__Output } from '@gateway/proto/generated/gateway/catalog/v1/VideoFeatures';
import type { VideoPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/VideoPricing';
import { strategyOf } from '@gateway/upstream';
import type {
  AudioPricing,
  ImageFeatures,
  ImagePricing,
  Model,
  VideoFeatures,
  VideoPricing,
} from '../domain/model';

/** A model without features or prices can't be used. */
export function fromProtoModel(model: Model__Output): Model & NamedModel {
  const { image, video } = model;
  const { image: imagePricing, video: videoPricing, audio } = model.pricing ?? {};
  return {
    slug: model.slug,
    aliases: model.aliases,
    active: model.status === 'MODEL_STATUS_ACTIVE',
    preview: model.preview,
    outputModalities: model.outputModalities,
    workflow: model.workflow,
    targets: model.targets.map(({ cost: _, ...target }) => target),
    strategy: strategyOf(model.strategy),
    priceVersion: BigInt(model.pricing?.version ?? 0),
    ...(image &&
      imagePricing && {
        image: {
          features: fromProtoImage(image, model.maxImageTokens),
          pricing: fromProtoImagePricing(imagePricing),
        },
      }),
    ...(video &&
      videoPricing && {
        video: { features: fromProtoVideo(video), pricing: fromProtoVideoPricing(videoPricing) },
      }),
    ...(audio && {
      audio: {
        contextLength: model.contextLength,
        maxOutputTokens: model.maxOutputTokens,
        pricing: fromProtoAudioPricing(audio),
      },
    }),
  };
}

function fromProtoImage(
  { sizeRule, ...image }: ImageFeatures__Output,
  maxInputImageTokens: number,
): ImageFeatures {
  return {
    ...image,
    ...(sizeRule && {
      sizeRule: {
        ...sizeRule,
        minPixels: Number(sizeRule.minPixels),
        maxPixels: Number(sizeRule.maxPixels),
      },
    }),
    maxInputImageTokens,
  };
}

function fromProtoImagePricing(pricing: ImagePricing__Output): ImagePricing {
  return {
    perImage: pricing.perImage.map(({ priceNano, ...rest }) => ({ ...rest, priceNano: BigInt(priceNano) })),
    ...amount('textInputNano', pricing.textInputNano),
    ...amount('imageInputNano', pricing.imageInputNano),
    ...amount('imageOutputNano', pricing.imageOutputNano),
    ...amount('textOutputNano', pricing.textOutputNano),
    ...amount('inputMegapixelNano', pricing.inputMegapixelNano),
  };
}

function fromProtoVideo({ tiers, ...video }: VideoFeatures__Output): VideoFeatures {
  return { ...video, tiers: new Map(Object.entries(tiers)) };
}

function fromProtoVideoPricing({ tiers, defaultTier, perSecondNano }: VideoPricing__Output): VideoPricing {
  return {
    tiers,
    ...(defaultTier && { defaultTier }),
    perSecondNano: new Map(Object.entries(perSecondNano).map(([tier, nano]) => [tier, BigInt(nano)])),
  };
}

const fromProtoAudioPricing = (pricing: AudioPricing__Output): AudioPricing => ({
  ...amount('millionCharactersNano', pricing.millionCharactersNano),
  ...amount('hourNano', pricing.hourNano),
  ...amount('textInputNano', pricing.textInputNano),
  ...amount('audioInputNano', pricing.audioInputNano),
  ...amount('textOutputNano', pricing.textOutputNano),
  ...amount('audioOutputNano', pricing.audioOutputNano),
});

/** A field that is omitted if there is no amount. */
function amount<K extends string>(field: K, nano: string | undefined): { [P in K]?: bigint } {
  return (nano === undefined ? {} : { [field]: BigInt(nano) }) as { [P in K]?: bigint };
}
