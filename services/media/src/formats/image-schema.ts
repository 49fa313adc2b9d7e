import { z } from '@gateway/process';

/** `null` counts as absent, as in the official SDKs' types. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish();
/** The format does not check whether a model supports a value: unsupported and malformed are different errors. */
const word = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'not a word');
const size = z.string().regex(/^(auto|[1-9]\d{0,4}x[1-9]\d{0,4})$/, 'neither auto nor <width>x<height>');
const label = z.string().max(512);

/** Longer than any model accepts. */
const MAX_PROMPT_CHARS = 200_000;

const common = {
  model: z.string().nullish(),
  prompt: optional(z.string().max(MAX_PROMPT_CHARS)),
  background: optional(z.enum(['auto', 'opaque', 'transparent'])),
  complexity: optional(word),
  frame_count: optional(z.int().min(2)),
  frame_duration_ms: optional(z.int().min(1)),
  n: optional(z.int().min(1)),
  output_compression: optional(z.int().min(0).max(100)),
  output_format: optional(word),
  partial_images: optional(z.int().min(0).max(3)),
  quality: optional(word),
  response_format: optional(z.enum(['url', 'b64_json'])),
  safety_identifier: optional(label),
  size: optional(size),
  stream: optional(z.boolean()),
  user: optional(label),
};

/** Bodies of image calls: every field that the official SDK (openai 7.55) documents, and no others. */
export const generationSchema = z.strictObject({
  ...common,
  moderation: optional(z.enum(['auto', 'low'])),
  style: optional(z.enum(['natural', 'vivid'])),
  svg: optional(z.looseObject({})),
});

export const editSchema = z.strictObject({
  ...common,
  input_fidelity: optional(z.enum(['high', 'low'])),
});

export type ImageFields = z.output<typeof generationSchema> & z.output<typeof editSchema>;
