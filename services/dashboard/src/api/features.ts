import { z } from 'zod';

// Catalog validates its entries: only their types and sizes are checked.
const count = z.number().int().min(0).max(2_000_000_000);
const word = z.string().max(64);
const words = z.array(z.string().min(1).max(64)).max(200);
const numbers = z.array(count).max(100);

/** Features of an image model, in the structure in which models show them. */
export const imageFeatures = z.strictObject({
  sizes: words.default([]),
  size_rule: z
    .strictObject({
      step_px: count,
      max_edge_px: count,
      max_ratio: count,
      min_pixels: count,
      max_pixels: count,
    })
    .nullable()
    .default(null),
  default_size: word.default(''),
  qualities: words.default([]),
  default_quality: word.default(''),
  formats: words.min(1),
  max_n: count,
  max_input_images: count.default(0),
  mask: z.boolean().default(false),
  transparent: z.boolean().default(false),
  output_tokens: z
    .array(z.strictObject({ size: word.default(''), quality: word.default(''), tokens: count }))
    .max(200)
    .default([]),
  output_tokens_by_area: z.boolean().default(false),
  text_output_tokens: count.default(0),
  max_prompt_chars: count.default(0),
});

/** Features of a video model. */
export const videoFeatures = z.strictObject({
  durations: numbers.default([]),
  min_duration: count.default(0),
  max_duration: count.default(0),
  default_duration: count,
  aspect_ratios: words.default([]),
  default_aspect_ratio: word.default(''),
  max_reference_images: count.default(0),
  max_prompt_chars: count.default(0),
  tiers: z
    .record(
      z.string().min(1).max(64),
      z.strictObject({ resolution: word.default(''), durations: numbers.default([]) }),
    )
    .default({}),
});
