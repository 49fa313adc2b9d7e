import { z } from 'zod';

export const configResponse = z.object({
  applied: z.boolean(),
  problems: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .meta({ description: 'If there are any, nothing is changed' }),
  changes: z.array(
    z.object({
      path: z.string().meta({ examples: ['providers.groq.base_url'] }),
      from: z.unknown().meta({ description: 'Null: there is no value' }),
      to: z.unknown(),
    }),
  ),
});

/** Catalog validates the content, and reports all problems at once. */
export const configBody = z.strictObject({
  providers: z
    .unknown()
    .optional()
    .meta({ description: 'A list of providers, in the form of `gateway.yaml`' }),
  models: z.unknown().optional().meta({ description: 'A list of models, in the form of `gateway.yaml`' }),
  settings: z.unknown().optional().meta({ description: '`requests_per_second` of all callers together' }),
});
