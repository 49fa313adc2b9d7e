import { z } from 'zod';
import { listOf, text } from './seed-types';

const SIZE = /^[1-9]\d{0,4}x[1-9]\d{0,4}$/;

const size = z.string().regex(SIZE, 'is not <width>x<height>');
const word = text(64);
const count = (most: number) => z.number().int().min(0).max(most);
const seconds = z.number().int().min(1).max(3_600);
const orEmpty = <T extends z.ZodType>(item: T) => z.union([item, z.literal('')]).default('');

/** Options of an image model. */
export const imageFeatures = z
  .strictObject({
    sizes: listOf(size, 200).default([]),
    size_rule: z
      .strictObject({
        step_px: z.number().int().min(1).max(1_024),
        max_edge_px: z.number().int().min(1).max(99_999),
        max_ratio: z.number().int().min(1).max(100),
        min_pixels: count(2_000_000_000),
        max_pixels: count(2_000_000_000).min(1),
      })
      .optional(),
    default_size: orEmpty(size),
    qualities: listOf(word, 20).default([]),
    default_quality: orEmpty(word),
    formats: listOf(z.enum(['png', 'jpeg', 'webp']), 3).min(1),
    max_n: count(100).min(1),
    max_input_images: count(100).default(0),
    mask: z.boolean().default(false),
    transparent: z.boolean().default(false),
    output_tokens: z
      .array(
        z.strictObject({ size: orEmpty(size), quality: orEmpty(word), tokens: count(10_000_000).min(1) }),
      )
      .max(200)
      .refine(
        (rows) => new Set(rows.map((row) => `${row.size}\n${row.quality}`)).size === rows.length,
        'contains duplicates',
      )
      .default([]),
    output_tokens_by_area: z.boolean().default(false),
    text_output_tokens: count(10_000_000).default(0),
    max_prompt_chars: count(10_000_000).default(0),
  })
  .superRefine((image, context) => {
    const wrong = (path: string, message: string) =>
      context.addIssue({ code: 'custom', message, path: [path] });
    if (image.default_size !== '' && !image.size_rule && !image.sizes.includes(image.default_size)) {
      wrong('default_size', 'is not one of the sizes');
    }
    if (image.default_quality !== '' && !image.qualities.includes(image.default_quality)) {
      wrong('default_quality', 'is not one of the qualities');
    }
    if (image.mask && image.max_input_images === 0) wrong('mask', 'requires max_input_images');
  });

/** Options of a video model. */
export const videoFeatures = z
  .strictObject({
    durations: listOf(seconds, 100).default([]),
    min_duration: seconds.or(z.literal(0)).default(0),
    max_duration: seconds.or(z.literal(0)).default(0),
    default_duration: seconds,
    aspect_ratios: listOf(word, 50).default([]),
    default_aspect_ratio: orEmpty(word),
    max_reference_images: count(100).default(0),
    max_prompt_chars: count(10_000_000).default(0),
    tiers: z
      .record(
        word,
        z.strictObject({ resolution: orEmpty(word), durations: listOf(seconds, 100).default([]) }),
      )
      .refine((tiers) => Object.keys(tiers).length <= 50, 'more than 50 tiers')
      .default({}),
  })
  .superRefine((video, context) => {
    const wrong = (path: string, message: string) =>
      context.addIssue({ code: 'custom', message, path: [path] });
    const { durations, min_duration: min, max_duration: max, default_duration: preset } = video;
    const offered = durations.length > 0 ? durations.includes(preset) : min <= preset && preset <= max;
    if (!offered) wrong('default_duration', 'is not one of the durations');
    if (video.default_aspect_ratio !== '' && !video.aspect_ratios.includes(video.default_aspect_ratio)) {
      wrong('default_aspect_ratio', 'is not one of the aspect ratios');
    }
  });

export type SeedImage = z.output<typeof imageFeatures>;
export type SeedVideo = z.output<typeof videoFeatures>;
