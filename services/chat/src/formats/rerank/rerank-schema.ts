import { z } from 'zod';

/** The body of `POST /v1/rerank`, as Cohere and Jina AI have it. `documents` are validated separately. */
export const rerankSchema = z.strictObject({
  model: z.string().nullish(),
  query: z.string().nullish(),
  documents: z.unknown(),
  top_n: z.int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  max_tokens_per_doc: z.int().min(1).nullish(),
});
