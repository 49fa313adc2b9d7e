import { z } from 'zod';

const text = z.string();

const content = z.strictObject({
  role: text.nullish(),
  parts: z.array(z.strictObject({ text: text.nullish() })),
});

/** The body of `embedContent` (@google/genai 3.1), with names in camel case. */
export const embedContentSchema = z.strictObject({
  /** Repeats the path. */
  model: text.nullish(),
  content: content.nullish(),
  taskType: text.nullish(),
  title: text.nullish(),
  outputDimensionality: z.int().min(1).nullish(),
});
export type EmbedContentBody = z.output<typeof embedContentSchema>;

/** The body of `batchEmbedContents`. */
export const batchEmbedContentsSchema = z.strictObject({
  model: text.nullish(),
  requests: z.array(embedContentSchema).nullish(),
});
