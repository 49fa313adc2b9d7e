import { GatewayError } from '@gateway/errors';
import {
  parseJsonObject,
  requireFields,
  safeParse,
  schemaError,
  withoutEmptyModel,
} from '@gateway/json-body';
import { z } from '@gateway/process';
import type { SpeechOrder } from '../audio/rules/audio-provider';
import { BODY_BOUNDS } from '../domain/body-bounds';
import { isLonger } from '../domain/is-longer';
import { invalid } from './invalid';

/** A well-formed request for speech. */
export interface SpeechRequest extends Omit<SpeechOrder, 'upstreamModel' | 'needsTokens'> {
  /** As the caller wrote it. */
  readonly model: string;
}

/** Of the text and of the instructions, as OpenAI limits them. */
const MAX_CHARS = 4_096;

/** Required fields for which null and empty count as missing. */
const REQUIRED = ['input', 'voice', 'voice.id'];

const text = z.string().refine((value) => !isLonger(value, MAX_CHARS), `longer than ${MAX_CHARS} characters`);
const voiceName = z.string().max(256);

/** Every field that the official SDK (openai 7.57) documents, and no others. `null` counts as absent. */
export const speechSchema = z.strictObject({
  model: z.string().nullish(),
  input: text.nullish(),
  voice: z.union([voiceName, z.strictObject({ id: voiceName.min(1) })]).nullish(),
  instructions: text.nullish(),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(['audio', 'sse']).nullish(),
});

/** Reads a JSON body. @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model` */
export function parseSpeech(bytes: Buffer): SpeechRequest {
  const value = withoutEmptyModel(parseJsonObject(bytes, BODY_BOUNDS).value);
  const result = safeParse(speechSchema, value);
  if (!result.success) throw schemaError(value, result.error.issues, REQUIRED);
  const { model, input, voice, instructions, response_format, speed, stream_format } = result.data;
  requireFields(value, ['model', 'input', 'voice']);
  if (!model) throw new GatewayError('invalid_model');
  if (input!.trim() === '') throw invalid('input: contains no text');
  return {
    model,
    input: input!,
    voice: voice!,
    ...(instructions != null && { instructions }),
    ...(response_format != null && { format: response_format }),
    ...(speed != null && { speed }),
    asEvents: stream_format === 'sse',
  };
}
