import { GatewayError } from '@gateway/errors';
import { missingParameter, parseJsonObject, safeParse, schemaError } from '@gateway/json-body';
import type { z } from 'zod';
import type { EmbeddingRequest, InputType } from '../../domain/embedding';
import { BODY_BOUNDS } from '../body-bounds';
import { MAX_INPUTS } from '../openai/embeddings-request';
import { camelCase } from './camel-case';
import { batchEmbedContentsSchema, type EmbedContentBody, embedContentSchema } from './embed-schema';

/** Required fields for which null and empty count as missing. */
const REQUIRED = ['content', 'parts', 'requests'];

/** Google's task types in the words of other providers, which lack some; those are hints that they ignore. */
const INPUT_TYPES: Readonly<Record<string, InputType | undefined>> = {
  TASK_TYPE_UNSPECIFIED: undefined,
  SEMANTIC_SIMILARITY: undefined,
  RETRIEVAL_QUERY: 'search_query',
  RETRIEVAL_DOCUMENT: 'search_document',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
  QUESTION_ANSWERING: 'search_query',
  FACT_VERIFICATION: 'search_query',
  CODE_RETRIEVAL_QUERY: 'search_query',
};

/** Reads the body of `embedContent`. @throws GatewayError `invalid_request`, then `missing_parameter` */
export function parseEmbedContent(bytes: Buffer, model: string): EmbeddingRequest {
  return toRequest(model, [{ path: '', entry: parse(embedContentSchema, bytes) }]);
}

/** Reads the body of `batchEmbedContents`. @throws GatewayError `invalid_request`, then `missing_parameter` */
export function parseBatchEmbedContents(bytes: Buffer, model: string): EmbeddingRequest {
  const body = parse(batchEmbedContentsSchema, bytes);
  const requests = body.requests ?? [];
  if (requests.length > MAX_INPUTS) throw invalid(`requests: more than ${MAX_INPUTS} requests`);
  assertSameModel(body.model, model, 'model');
  if (requests.length === 0) throw missingParameter('requests');
  return toRequest(
    model,
    requests.map((entry, index) => ({ path: `requests[${index}].`, entry })),
  );
}

function parse<T>(schema: z.ZodType<T>, bytes: Buffer): T {
  const named = camelCase(parseJsonObject(bytes, BODY_BOUNDS).value) as Record<string, unknown>;
  const result = safeParse<T>(schema, named);
  if (!result.success) throw schemaError(named, result.error.issues, REQUIRED);
  return result.data;
}

interface Entry {
  /** Of its members. */
  readonly path: string;
  readonly entry: EmbedContentBody;
}

/** One call has one task and one size. */
function toRequest(model: string, entries: readonly Entry[]): EmbeddingRequest {
  const { taskType, outputDimensionality: dimensions } = entries[0]!.entry;
  for (const { path, entry } of entries) {
    assertSameModel(entry.model, model, `${path}model`);
    for (const name of ['taskType', 'outputDimensionality'] as const)
      if ((entry[name] ?? undefined) !== (entries[0]!.entry[name] ?? undefined))
        throw invalid(`${path}${name}: must be the same in all requests`);
  }
  if (taskType != null && !Object.hasOwn(INPUT_TYPES, taskType))
    throw invalid(`taskType: must be one of ${Object.keys(INPUT_TYPES).join(', ')}`);
  const inputType = taskType == null ? undefined : INPUT_TYPES[taskType];
  const titles = entries.map(({ entry }) => entry.title || undefined);
  return {
    model,
    inputs: { kind: 'texts', list: entries.map(readText) },
    encoding: 'float',
    ...(dimensions != null && { dimensions }),
    ...(inputType !== undefined && { inputType }),
    ...(taskType != null && { taskType }),
    ...(titles.some((title) => title !== undefined) && { titles }),
  };
}

/** The parts of a content are one input. */
function readText({ path, entry }: Entry): string {
  const text = (entry.content?.parts ?? []).map((part) => part.text ?? '').join('');
  if (text === '') throw missingParameter(`${path}${entry.content ? 'content.parts' : 'content'}`);
  return text;
}

/** The name may have the prefix `models/`. */
function assertSameModel(named: string | null | undefined, model: string, path: string): void {
  if (named != null && named.replace(/^models\//, '') !== model)
    throw invalid(`${path}: must be the model of the path`);
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
