import type { Prompt } from '../../domain/prompt';
import type { TextRequest } from '../chat-protocol';
import { isObject, type Json } from '../json';
import { readContent, type Turn, toPromptMessage, toPromptMessages } from './contents';
import { invalid } from './error';
import { checkFunctions, readFunctions, searchesWeb } from './functions';
import { checkConfig, readConfig } from './generation-config';
import { type ImageOptions, readImageOptions } from './image-options';
import { ProtoReader } from './proto-reader';
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

/** The real API has no maximum. */
const MAX_SEARCHES = 50;

/** The model and method in the path. */
export interface ModelMethod {
  readonly model: string;
  readonly stream: boolean;
}

export interface GenerateRequest extends TextRequest {
  /** Null if text is requested. */
  readonly image: ImageOptions | null;
}

/** @throws ProviderError for what the real API refuses */
export function parseGenerateRequest(value: unknown, { model, stream }: ModelMethod): GenerateRequest {
  if (!isObject(value)) throw invalid('Invalid JSON payload received. Expected an object.');
  const reader = new ProtoReader();
  const body = reader.message(value, FIELDS, '');
  const contents = readTurns(body.contents, reader);
  const system = readContent(body.systemInstruction, reader, 'system_instruction');
  const functions = readFunctions(body, reader);
  const config = readConfig(body.generationConfig, reader);
  reader.list(body.safetySettings, 'safety_settings').forEach((setting, i) => {
    reader.message(setting, SAFETY_FIELDS, `safety_settings[${i}]`);
  });
  reader.check();

  const turns = checkTurns(contents, model);
  const toolCall = checkFunctions(functions);
  const maxSearches = searchesWeb(functions) ? MAX_SEARCHES : 0;
  const options = { ...checkConfig(config), toolCall, maxSearches };
  const image = readImageOptions(model, config, turns);
  if (image !== null && stream) throw invalid('Streams of images are not played here.');
  return {
    model,
    stream,
    n: config.n,
    prompt: toPrompt(turns, system.parts, functions.tools),
    options,
    image,
  };
}

function toPrompt(turns: readonly Turn[], system: Turn['parts'], tools: readonly unknown[]): Prompt {
  const messages = turns.flatMap(toPromptMessages);
  if (system.length === 0) return { messages, tools };
  return { messages: [{ ...toPromptMessage(system), role: 'system' }, ...messages], tools };
}

/** The body of a count has contents, or a complete request. @throws ProviderError */
export function parseCountRequest(value: unknown, target: ModelMethod): GenerateRequest {
  const reader = new ProtoReader();
  const body: Json = reader.message(value, COUNT_FIELDS, '');
  reader.check();
  return parseGenerateRequest(body.generateContentRequest ?? body, target);
}
