import { z } from 'zod';

export const moderationPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().min(1) }),
  }),
]);

/** `input` is validated separately. */
export const moderationsSchema = z.strictObject({
  model: z.string().nullish(),
  input: z.unknown(),
});
