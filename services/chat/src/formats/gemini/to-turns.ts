import { GatewayError } from '@gateway/errors';
import type {
  AssistantPart,
  DocumentPart,
  ImagePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../domain/conversation';
import { base64Source } from '../../domain/media-content';
import type { Content, Part } from './gemini-schema';
import { ownSignature, readForeign, signedText } from './thought-signature';

type ResultPart = ToolResultPart['parts'][number];

/**
 * Reads the turns. Clients send ids of calls back only if they got some, so a result without one answers the first call of its name
 * that has no result yet.
 * @throws GatewayError `invalid_request` for a part that no other format can represent
 */
export function toTurns(contents: readonly Content[]): Turn[] {
  const turns: Turn[] = [];
  const open: ToolCallPart[] = [];
  let calls = 0;
  for (const [index, { role, parts }] of contents.entries()) {
    const path = (at: number) => `contents[${index}].parts[${at}]`;
    if (role === 'model') {
      const said = readModelParts(parts, path, () => `call_${index}_${calls++}`);
      open.push(...said.filter((part) => part.kind === 'tool_call'));
      if (said.length > 0) turns.push({ role: 'assistant', parts: said });
      continue;
    }
    const results: UserPart[] = [];
    const others: UserPart[] = [];
    for (const [at, part] of parts.entries()) {
      if (part.functionResponse) results.push(readResult(part.functionResponse, open, path(at)));
      else others.push(...readUserPart(part, path(at)));
    }
    if (results.length + others.length > 0) turns.push({ role: 'user', parts: [...results, ...others] });
  }
  return turns;
}

/** Reads instructions, which are text. */
export const toTexts = (parts: readonly Part[]): TextPart[] =>
  parts.flatMap(({ text }) => (text ? [textPart(text)] : []));

const textPart = (text: string): TextPart => ({ kind: 'text', text, cache: undefined });

function readModelParts(
  parts: readonly Part[],
  path: (at: number) => string,
  newId: () => string,
): AssistantPart[] {
  const said: AssistantPart[] = [];
  for (const [at, part] of parts.entries()) {
    const { text, thought, functionCall } = part;
    const signature = part.thoughtSignature ?? '';
    const foreign = signature === '' ? undefined : readForeign(signature);
    if (foreign) {
      // It contains the thoughts that precede it.
      while (said.at(-1)?.kind === 'thinking') said.pop();
      for (const { kind, text: thinking, signature: signed } of foreign) {
        if (kind === 'thinking')
          said.push({ kind, text: thinking, signature: signed.value ? signed : undefined });
        else if (kind === 'redacted_thinking') said.push({ kind, data: signed });
      }
    }
    const own = signature !== '' && !foreign ? signature : '';
    if (functionCall) {
      const ofCall = foreign?.find(({ kind }) => kind === 'call')?.signature;
      said.push({
        kind: 'tool_call',
        id: functionCall.id || newId(),
        name: functionCall.name,
        arguments: JSON.stringify(functionCall.args ?? {}),
        signature: ofCall ?? (own === '' ? undefined : ownSignature(own)),
        cache: undefined,
      });
    } else if (thought) {
      said.push({
        kind: 'thinking',
        text: text ?? '',
        signature: own === '' ? undefined : ownSignature(own),
      });
    } else if (typeof text === 'string') {
      if (own !== '') said.push(signedText(own));
      if (text !== '') said.push(textPart(text));
    } else throw unsupported(path(at));
  }
  return said;
}

function readResult(
  { id, name, response, parts }: NonNullable<Part['functionResponse']>,
  open: ToolCallPart[],
  path: string,
): ToolResultPart {
  const at = open.findIndex((call) => (id ? call.id === id : call.name === name));
  const [call] = at === -1 ? [] : open.splice(at, 1);
  const callId = id || call?.id;
  if (!callId) throw invalid(`${path}.functionResponse: there is no call of ${name.slice(0, 64)} before it`);
  const media = (parts ?? []).flatMap(({ inlineData }, index): ResultPart[] =>
    inlineData ? [readResultMedia(inlineData, `${path}.functionResponse.parts[${index}]`)] : [],
  );
  const { output, error, ...others } = response ?? {};
  const isError = error !== undefined && output === undefined && Object.keys(others).length === 0;
  const only = Object.keys(others).length === 0 ? (output ?? error) : undefined;
  const text = typeof only === 'string' ? only : JSON.stringify(response ?? {});
  return { kind: 'tool_result', callId, parts: [textPart(text), ...media], isError, cache: undefined };
}

function readResultMedia(data: NonNullable<Part['inlineData']>, path: string): ResultPart {
  const part = readBlob(data, path);
  if (part.kind === 'audio') throw invalid(`${path}: audio is not allowed in a tool result`);
  return part;
}

function readUserPart(part: Part, path: string): UserPart[] {
  const { text, inlineData, fileData } = part;
  if (typeof text === 'string') return text === '' ? [] : [textPart(text)];
  if (inlineData) return [readBlob(inlineData, path)];
  if (fileData) {
    const source = { kind: 'url', url: fileData.fileUri } as const;
    const isImage = (fileData.mimeType ?? '').startsWith('image/');
    return [isImage ? imagePart(source) : documentPart(source)];
  }
  throw unsupported(path);
}

function readBlob({ mimeType, data }: NonNullable<Part['inlineData']>, path: string) {
  const source = base64Source(mimeType.toLowerCase(), data);
  const { mediaType } = source;
  if (mediaType.startsWith('image/')) return imagePart(source);
  if (mediaType.startsWith('audio/')) return { kind: 'audio', source } as const;
  if (mediaType === 'application/pdf') return documentPart(source);
  if (mediaType.startsWith('text/') || mediaType === 'application/json')
    return documentPart({ kind: 'text', text: Buffer.from(data, 'base64').toString('utf8') });
  throw invalid(`${path}: files of type ${mediaType.slice(0, 64)} are not supported`);
}

const imagePart = (source: ImagePart['source']): ImagePart => ({
  kind: 'image',
  source,
  detail: undefined,
  cache: undefined,
});
const documentPart = (source: DocumentPart['source']): DocumentPart => ({
  kind: 'document',
  source,
  title: undefined,
  cache: undefined,
});

const unsupported = (path: string) => invalid(`${path}: not supported by this model`);
const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
