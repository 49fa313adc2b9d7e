import { audioSeconds } from '../../domain/files/audio-seconds';
import type { PromptMessage } from '../../domain/prompt';
import { isObject, type Json } from '../json';
import { isOwn } from './call-signature';
import { invalid } from './error';
import type { ProtoReader } from './proto-reader';

/** A parsed part; `other` only counts towards the prompt: media, with its base64 if inline, and code. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thought' }
  | { readonly kind: 'other'; readonly data?: string; readonly audioTokens?: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'call'; readonly name: string; readonly args: Json; readonly signature: string | null }
  | { readonly kind: 'response'; readonly name: string; readonly response: Json };

export interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: readonly Part[];
}

const CONTENT_FIELDS = new Set(['role', 'parts']);

const DATA_FIELDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];

const PART_FIELDS = new Set([
  ...DATA_FIELDS,
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
  'mediaProcessing',
  'partMetadata',
]);

const CALL_FIELDS = new Set(['id', 'name', 'args']);
const RESPONSE_FIELDS = new Set(['id', 'name', 'response', 'parts', 'scheduling', 'willContinue']);
const INLINE_FIELDS = new Set(['mimeType', 'data', 'displayName']);
const FILE_FIELDS = new Set(['mimeType', 'fileUri', 'displayName']);
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Reads a content's parts; `reader.check` reports its violations. */
export function readContent(
  value: unknown,
  reader: ProtoReader,
  at: string,
): { role: string | undefined; parts: Part[] } {
  const content = reader.message(value, CONTENT_FIELDS, at);
  const parts = reader
    .list(content.parts, `${at}.parts`)
    .map((part, i) => readPart(part, reader, `${at}.parts[${i}]`));
  return { role: reader.text(content.role, `${at}.role`), parts };
}

function readPart(value: unknown, reader: ProtoReader, at: string): Part {
  const part = reader.message(value, PART_FIELDS, at);
  const thought = reader.boolean(part.thought, `${at}.thought`);
  const signature = reader.text(part.thoughtSignature, `${at}.thought_signature`) ?? null;
  const data = DATA_FIELDS.filter((field) => part[field] != null);
  if (data.length > 1) {
    reader.violation(
      at,
      `Invalid value at '${at}' (oneof), oneof field 'data' is already set. Cannot set '${data[1]}'`,
    );
  }
  switch (data[0]) {
    case undefined:
      return { kind: 'none' };
    case 'text': {
      const text = reader.text(part.text, `${at}.text`) ?? '';
      return thought ? { kind: 'thought' } : { kind: 'text', text };
    }
    case 'functionCall':
      return readCall(part.functionCall, signature, reader, `${at}.function_call`);
    case 'functionResponse':
      return readResponse(part.functionResponse, reader, `${at}.function_response`);
    case 'inlineData':
      return { kind: 'other', ...readInlineData(part.inlineData, reader, `${at}.inline_data`) };
    case 'fileData':
      reader.text(
        reader.message(part.fileData, FILE_FIELDS, `${at}.file_data`).fileUri,
        `${at}.file_data.file_uri`,
      );
      break;
  }
  return { kind: 'other' };
}

function readCall(value: unknown, signature: string | null, reader: ProtoReader, at: string): Part {
  const call = reader.message(value, CALL_FIELDS, at);
  reader.text(call.id, `${at}.id`);
  const name = reader.text(call.name, `${at}.name`) ?? '';
  return { kind: 'call', name, args: readStruct(call.args, reader, `${at}.args`), signature };
}

function readResponse(value: unknown, reader: ProtoReader, at: string): Part {
  const answer = reader.message(value, RESPONSE_FIELDS, at);
  reader.text(answer.id, `${at}.id`);
  const name = reader.text(answer.name, `${at}.name`) ?? '';
  return { kind: 'response', name, response: readStruct(answer.response, reader, `${at}.response`) };
}

/** Reads an object with any fields. */
function readStruct(value: unknown, reader: ProtoReader, at: string): Json {
  return reader.message(value, isObject(value) ? new Set(Object.keys(value)) : new Set(), at);
}

/** ai.google.dev/gemini-api/docs/tokens. */
const AUDIO_TOKENS_PER_SECOND = 32;

function readInlineData(
  value: unknown,
  reader: ProtoReader,
  at: string,
): { data: string; audioTokens?: number } {
  const blob = reader.message(value, INLINE_FIELDS, at);
  const type = reader.text(blob.mimeType, `${at}.mime_type`) ?? '';
  const data = reader.text(blob.data, `${at}.data`) ?? '';
  if (!BASE64.test(data)) throw invalid(`Invalid value at '${at}.data' (TYPE_BYTES), Base64 decoding failed`);
  if (!type.startsWith('audio/')) return { data };
  const seconds = audioSeconds(Buffer.from(data, 'base64'));
  return { data, audioTokens: Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND) };
}

/** Function results become separate messages, as in every format. */
export function toPromptMessages({ role, parts }: Turn): PromptMessage[] {
  const messages: PromptMessage[] = parts
    .filter((part) => part.kind === 'response')
    .map(({ response }) => ({ ...EMPTY, role: 'tool', texts: [JSON.stringify(response)] }));
  const rest = parts.filter((part) => part.kind !== 'response');
  if (rest.length > 0)
    messages.push({ ...toPromptMessage(rest), role: role === 'model' ? 'assistant' : 'user' });
  return messages;
}

const EMPTY = { name: null, texts: [], otherParts: 0, signedParts: 0, toolCalls: [] } as const;

/** Returns everything except the role. */
export function toPromptMessage(parts: readonly Part[]): Omit<PromptMessage, 'role'> {
  const others = parts.filter((part) => part.kind === 'other');
  const audioTokens = others.reduce((sum, { audioTokens: tokens = 0 }) => sum + tokens, 0);
  return {
    name: null,
    texts: parts.filter((part) => part.kind === 'text').map(({ text }) => text),
    otherParts: others.filter(({ audioTokens }) => audioTokens === undefined).length,
    ...(audioTokens > 0 && { audioTokens }),
    signedParts: parts.filter((part) => part.kind === 'call' && isOwn(part.signature)).length,
    toolCalls: parts
      .filter((part) => part.kind === 'call')
      .map(({ name, args }) => ({ name, arguments: JSON.stringify(args) })),
  };
}
