import { GatewayError } from '@gateway/errors';
import { safeParse, schemaError, withoutEmptyModel } from '@gateway/json-body';
import { z } from '@gateway/process';
import { TRANSCRIPT_FORMATS, type TranscriptionOrder } from '../audio/rules/audio-provider';
import type { Upload } from '../domain/upload';
import { invalid } from './invalid';

/** A well-formed request for a transcription or a translation. */
export interface TranscriptionRequest extends Omit<TranscriptionOrder, 'upstreamModel' | 'needsTokens'> {
  /** As the caller wrote it. */
  readonly model: string;
  readonly promptBytes: number;
}

/** A form as it was received; `lists` are the fields that may be repeated. */
export interface TranscriptionForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly uploads: readonly Upload[];
}

/** Fields that may be repeated, in the notation of the official SDKs. */
export const TRANSCRIPTION_LISTS = [
  'timestamp_granularities[]',
  'include[]',
  'keywords[]',
  'languages[]',
  'known_speaker_names[]',
  'known_speaker_references[]',
] as const;

const MAX_PROMPT_CHARS = 32_000;
const label = z.string().max(512);
const number = z.string().regex(/^\d{1,3}(\.\d{1,9})?$/, 'not a number');

const translation = {
  model: z.string().nullish(),
  prompt: z.string().max(MAX_PROMPT_CHARS).optional(),
  response_format: z.enum(TRANSCRIPT_FORMATS).exclude(['diarized_json']).optional(),
  temperature: number.refine((value) => Number(value) <= 1, 'above 1').optional(),
};

/** Forms: every field that the official SDK (openai 7.57) documents, and no others. */
export const translationSchema = z.strictObject(translation);
export const transcriptionSchema = z.strictObject({
  ...translation,
  response_format: z.enum(TRANSCRIPT_FORMATS).optional(),
  language: z.string().max(64).optional(),
  stream: z.enum(['true', 'false']).optional(),
  chunking_strategy: z.string().max(1_024).optional(),
  'timestamp_granularities[]': z
    .array(z.enum(['word', 'segment']))
    .max(2)
    .optional(),
  'include[]': z
    .array(z.enum(['logprobs']))
    .max(1)
    .optional(),
  'keywords[]': z.array(label).max(32).optional(),
  'languages[]': z.array(label).max(32).optional(),
  'known_speaker_names[]': z.array(label).max(4).optional(),
  'known_speaker_references[]': z.array(z.string()).max(4).optional(),
});

const OWN_FIELDS = new Set(['model', 'response_format', 'stream']);

/**
 * Reads a form. A missing part is a malformed form, unlike a missing field of a JSON body; an empty `model` is `invalid_model`.
 * @throws GatewayError `invalid_request` or `invalid_model`
 */
export function parseTranscription(
  task: TranscriptionOrder['task'],
  { fields, lists, uploads }: TranscriptionForm,
): TranscriptionRequest {
  const [file] = uploads;
  if (!file) throw missingPart('file');
  if (!fields.has('model')) throw missingPart('model');
  const values = {
    ...Object.fromEntries(fields),
    ...Object.fromEntries(lists),
  };
  const members = withoutEmptyModel(values);
  const result =
    task === 'translations' ? safeParse(translationSchema, members) : safeParse(transcriptionSchema, members);
  if (!result.success) throw schemaError(members, result.error.issues, []);
  const { model, response_format: format = 'json' } = result.data;
  if (!model) throw new GatewayError('invalid_model');
  return {
    model,
    task,
    file,
    format,
    stream: 'stream' in result.data && result.data.stream === 'true',
    promptBytes: Buffer.byteLength(fields.get('prompt') ?? ''),
    fields: [
      ...[...fields].filter(([name]) => !OWN_FIELDS.has(name)),
      ...[...lists].flatMap(([name, list]) => list.map((value) => [name, value] as const)),
    ],
  };
}

const missingPart = (name: string) => invalid(`${name}: the part is missing`);
