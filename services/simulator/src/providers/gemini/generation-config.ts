import { DEFAULT_OPTIONS, type ReplyOptions } from '../../domain/reply';
import { instanceOf } from '../../domain/schema-instance';
import { isObject } from '../json';
import { invalid } from './error';
import type { ProtoReader } from './proto-reader';
import { checkSchema, readSchema } from './schema';

const FIELDS = new Set([
  'stopSequences',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'candidateCount',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'enableEnhancedCivicAnswers',
  'speechConfig',
  'thinkingConfig',
  'imageConfig',
  'mediaResolution',
]);

const THINKING_FIELDS = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel']);
const LEVELS = new Set(['THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH']);
const IMAGE_FIELDS = new Set(['aspectRatio', 'imageSize', 'personGeneration']);
const MODALITIES = new Set(['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO']);
const MIME_TYPES = new Set(['text/plain', 'application/json', 'text/x.enum']);
const MAX_CANDIDATES = 8;
const MAX_STOP_SEQUENCES = 5;

export interface GenerationConfig {
  readonly n: number;
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly stopSequences: readonly string[];
  readonly mimeType: string;
  readonly schema: unknown;
  readonly jsonSchema: unknown;
  readonly modalities: readonly string[];
  readonly aspectRatio: string;
  readonly imageSize: string;
  readonly thinking: {
    readonly shown: boolean;
    readonly budget: number | undefined;
    readonly level: string | undefined;
  };
}

const at = (field: string) => `generation_config.${field}`;

/** Reads `generationConfig`; `checkConfig` runs only if the rest of the body is valid. */
export function readConfig(value: unknown, reader: ProtoReader): GenerationConfig {
  const config = reader.message(value, FIELDS, 'generation_config');
  for (const field of ['topP', 'presencePenalty', 'frequencyPenalty'])
    reader.number(config[field], at(field));
  for (const field of ['topK', 'seed', 'logprobs']) reader.integer(config[field], at(field));
  const thinking = reader.message(config.thinkingConfig, THINKING_FIELDS, at('thinking_config'));
  const image = reader.message(config.imageConfig, IMAGE_FIELDS, at('image_config'));
  if (config.responseSchema != null) readSchema(config.responseSchema, reader, at('response_schema'));
  return {
    n: reader.integer(config.candidateCount, at('candidate_count')) ?? 1,
    temperature: reader.number(config.temperature, at('temperature')),
    maxOutputTokens: reader.integer(config.maxOutputTokens, at('max_output_tokens')),
    stopSequences: reader.texts(config.stopSequences, at('stop_sequences')),
    mimeType: reader.text(config.responseMimeType, at('response_mime_type')) ?? 'text/plain',
    schema: config.responseSchema ?? undefined,
    jsonSchema: config.responseJsonSchema ?? undefined,
    modalities: reader
      .list(config.responseModalities, at('response_modalities'))
      .map(
        (name, i) => reader.enumeration(name, MODALITIES, `${at('response_modalities')}[${i}]`, true) ?? '',
      ),
    aspectRatio: reader.text(image.aspectRatio, at('image_config.aspect_ratio')) ?? '1:1',
    imageSize: reader.text(image.imageSize, at('image_config.image_size')) ?? '1K',
    thinking: {
      shown: reader.boolean(thinking.includeThoughts, at('thinking_config.include_thoughts')),
      budget: reader.integer(thinking.thinkingBudget, at('thinking_config.thinking_budget')),
      level: reader.enumeration(thinking.thinkingLevel, LEVELS, at('thinking_config.thinking_level'), true),
    },
  };
}

/** Returns the options of the reply. @throws ProviderError for values out of range or in conflict */
export function checkConfig(config: GenerationConfig): ReplyOptions {
  const refuse = (field: string, message: string) =>
    invalid(`* GenerateContentRequest.${at(field)}: ${message}\n`);
  const { n, temperature = 1, maxOutputTokens = Number.POSITIVE_INFINITY, stopSequences, thinking } = config;
  if (n < 1 || n > MAX_CANDIDATES) throw refuse('candidate_count', `must be from 1 to ${MAX_CANDIDATES}`);
  if (temperature < 0 || temperature > 2) throw refuse('temperature', 'must be in the range [0.0, 2.0]');
  if (maxOutputTokens < 1) throw refuse('max_output_tokens', 'must be positive');
  if (stopSequences.length > MAX_STOP_SEQUENCES || stopSequences.includes('')) {
    throw refuse('stop_sequences', `at most ${MAX_STOP_SEQUENCES}, none empty`);
  }
  if (thinking.budget !== undefined && thinking.level !== undefined) {
    throw invalid('You can only set only one of thinking budget and thinking level.');
  }
  return {
    ...DEFAULT_OPTIONS,
    maxTokens: maxOutputTokens,
    stopSequences,
    thinking: thinking.budget === 0 ? 'off' : thinking.shown ? 'shown' : 'hidden',
    text: formattedText(config),
    wholeArguments: true,
  };
}

function formattedText({ mimeType, schema, jsonSchema }: GenerationConfig): string | null {
  if (!MIME_TYPES.has(mimeType)) {
    throw invalid(
      `* GenerateContentRequest.${at('response_mime_type')}: allowed mimetypes are ${[...MIME_TYPES].join(', ')}\n`,
    );
  }
  if (schema !== undefined && jsonSchema !== undefined) {
    throw invalid('Only one of response_schema and response_json_schema may be set.');
  }
  const wanted = schema ?? jsonSchema;
  if (wanted !== undefined && mimeType === 'text/plain') {
    throw invalid(
      'response_mime_type must be application/json or text/x.enum when a response schema is set.',
    );
  }
  if (isObject(schema)) checkSchema(schema, at('response_schema'));
  if (mimeType === 'text/plain') return null;
  const instance = wanted === undefined ? {} : instanceOf(wanted);
  return mimeType === 'text/x.enum' ? String(instance) : JSON.stringify(instance);
}
