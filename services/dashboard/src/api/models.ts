import { z } from 'zod';
import { imageFeatures, videoFeatures } from './features';
import { count, type Json, time } from './fields';
import { prices, pricing } from './prices';

export const model = {
  slug: z.string().meta({ examples: ['sim/chat'] }),
  name: z.string(),
  aliases: z.array(z.string()).meta({
    description: 'Other names that callers may use; names without a provider require `bare_model_names`',
  }),
  status: z.enum(['active', 'disabled', 'delisted']),
  preview: z.boolean().meta({ description: 'Only for accounts that have opted in' }),
  successor: z.string().nullable(),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  context_length: count,
  max_output_tokens: count,
  capabilities: z.array(z.string()),
  workflow: z.array(z.string()),
  image: imageFeatures.meta({ id: 'ImageFeatures' }).nullable(),
  video: videoFeatures.meta({ id: 'VideoFeatures' }).nullable(),
  pricing: pricing.nullable(),
  created_at: time,
};
/** Fields that `/v1/models` adds to OpenAI's. */
export const v1ModelFields = {
  name: model.name,
  aliases: model.aliases,
  preview: model.preview,
  input_modalities: model.input_modalities,
  output_modalities: model.output_modalities,
  context_length: count.nullable().meta({ description: 'Tokens; null for models other than chat models' }),
  max_output_tokens: count.nullable(),
  capabilities: model.capabilities,
  pricing: z.object(prices).nullable(),
  image: model.image,
  video: model.video,
};

export const modelResponse = z.object(model).meta({ id: 'Model' });
export const modelDetailResponse = z.object({ ...model, opted_in: z.boolean().optional() });
export const optedInResponse = z.object({ ...model, opted_in: z.literal(true) });

/** With `opted_in` for a single preview model: whether the account has opted in. */
export type Model = Json<typeof modelDetailResponse>;
export type ModelStatus = Model['status'];
export type ImageFeatures = Json<typeof imageFeatures>;
export type VideoFeatures = Json<typeof videoFeatures>;
export type { ModelType } from '@gateway/models';
export type OptedInModel = Json<typeof optedInResponse>;
