import { z } from 'zod';

const optional = <T extends z.ZodType>(type: T) => type.nullish();
const penalty = z.number().min(-2).max(2);
const choices = z.int().min(1).max(128);

/**
 * The body of `POST /v1/completions`: the fields of OpenAI's API. `prompt` is validated separately: it may have a quarter of a
 * million tokens.
 */
export const completionsSchema = z.strictObject({
  model: z.string().nullish(),
  prompt: z.unknown(),
  best_of: optional(choices),
  echo: optional(z.boolean()),
  frequency_penalty: optional(penalty),
  logit_bias: optional(z.record(z.string(), z.number())),
  logprobs: optional(z.int().min(0).max(20)),
  max_tokens: optional(z.int().min(0)),
  n: optional(choices),
  presence_penalty: optional(penalty),
  seed: optional(z.int()),
  /** OpenAI takes 4; editors that mark the middle themselves send more to other servers. */
  stop: optional(z.union([z.string(), z.array(z.string()).max(64)])),
  stream: optional(z.boolean()),
  stream_options: optional(
    z.looseObject({ include_usage: optional(z.boolean()), include_obfuscation: optional(z.boolean()) }),
  ),
  suffix: optional(z.string()),
  temperature: optional(z.number().min(0).max(2)),
  top_p: optional(z.number().min(0).max(1)),
  user: optional(z.string()),
});

/** The same, but unknown fields are passed unchanged to the provider. */
export const looseCompletionsSchema = z.looseObject(completionsSchema.shape);
