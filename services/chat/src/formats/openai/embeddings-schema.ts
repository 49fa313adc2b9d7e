import { z } from 'zod';
import { INPUT_TYPES } from '../../domain/embedding';

/** No model has more. */
const MAX_DIMENSIONS = 65_536;

/** `input` is validated separately: a list has up to a quarter of a million tokens. */
export const embeddingsSchema = z.strictObject({
  model: z.string().nullish(),
  input: z.unknown(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(MAX_DIMENSIONS).nullish(),
  user: z.string().nullish(),
  input_type: z.enum(INPUT_TYPES).nullish(),
});
