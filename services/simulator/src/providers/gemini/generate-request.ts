import type { Prompt } from '../../domain/prompt';
import type { CallRequest } from '../dialect';
import { isObject, type Json } from '../json';
import { readContent, type Turn, toPromptMessage, toPromptMessages } from './contents';
import { invalid } from './error';
import { checkFunctions, readFunctions } from './functions';
import { checkConfig, parseEnv } from './generation-config';
import { type ImageWish, imageWish } from './image-wish';
import { Shape } from './shape';
import { checkTurns, readTurns } from './turns';

const FIELDS = new Set([
  'model',
  'contents',
  'tools',
  'toolConfig',
  'safetySettings',
  'systemInstruction',
  'generationConfig',
  'cachedContent',
  'serviceTier',
  'store',
]);

const SAFETY_FIELDS = new Set(['category', 'threshold']);
const COUNT_FIELDS = new Set(['contents', 'generateContentRequest']);

/** Of the path: the model, and whether the method streams. */
export interface Target {
  readonly model: string;
  readonly stream: boolean;
}

export interface GenerateRequest extends CallRequest {
  /** Null where words are asked for. */
  readonly image: ImageWish | null;
}

/** @throws GeminiError for what the real API refuses */
export function parseGenerateRequest(value: unknown, { model, stream }: Target): GenerateRequest {
  if (!isObject(value)) throw invalid('Invalid JSON payload received. Expected an object.');
  const shape = new Shape();
  const body = shape.message(value, FIELDS, '');
  const contents = readTurns(body.contents, shape);
  const system = readContent(body.systemInstruction, shape, 'system_instruction');
  const functions = readFunctions(body, shape);
  const config = parseEnv(body.generationConfig, shape);
  shape.list(body.safetySettings, 'safety_settings').forEach((setting, i) => {
    shape.message(setting, SAFETY_FIELDS, `safety_settings[${i}]`);
  });
  shape.check();

  const turns = checkTurns(contents, model);
  const toolCall = checkFunctions(functions);
  const wish = { ...checkConfig(config), toolCall };
  const image = imageWish(model, config, turns);
  if (image !== null && stream) throw invalid('Streams of images are not played here.');
  return { model, stream, n: config.n, prompt: toPrompt(turns, system.parts, functions.tools), wish, image };
}

function toPrompt(turns: readonly Turn[], system: Turn['parts'], tools: readonly unknown[]): Prompt {
  const messages = turns.flatMap(toPromptMessages);
  if (system.length === 0) return { messages, tools };
  return { messages: [{ ...toPromptMessage(system), role: 'system' }, ...messages], tools };
}

/** A count is asked of contents, or of a whole request. @throws GeminiError */
export function parseCountRequest(value: unknown, target: Target): GenerateRequest {
  const shape = new Shape();
  const body: Json = shape.message(value, COUNT_FIELDS, '');
  shape.check();
  return parseGenerateRequest(body.generateContentRequest ?? body, target);
}
