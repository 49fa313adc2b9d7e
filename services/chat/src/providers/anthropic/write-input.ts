import { GatewayError } from '@gateway/errors';
import type {
  CacheHint,
  DocumentPart,
  ImagePart,
  TextPart,
  ToolResultPart,
  UserPart,
} from '../../domain/conversation';
import { isBlank, withoutBlankTexts } from './blank-texts';
import type { CacheControl, DocumentBlock, ImageBlock, InputBlock, TextBlock } from './messages-body';

export type InputPart = Exclude<UserPart, ToolResultPart>;

/** SDK 1.10, `Base64ImageSource`. */
const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const MAX_TITLE_CHARS = 500;

export function writeCache(hint: CacheHint | undefined): CacheControl | undefined {
  if (!hint) return undefined;
  return { type: 'ephemeral', ttl: hint.ttl === '1h' ? '1h' : undefined };
}

/**
 * Writes the parts as the API accepts them, without blank texts.
 * @throws GatewayError `invalid_request` for media that its models do not support
 */
export function writeInput(parts: readonly InputPart[]): InputBlock[] {
  return withoutBlankTexts<InputPart>(parts).map(writeBlock);
}

function writeBlock(part: InputPart): InputBlock {
  switch (part.kind) {
    case 'text':
      return writeText(part);
    case 'image':
      return writeImage(part);
    case 'document':
      return writeDocument(part);
    case 'audio':
      throw refused('audio is not supported by this model');
  }
}

export function writeText({ text, cache }: TextPart): TextBlock {
  return { type: 'text', text, cache_control: writeCache(cache) };
}

export function textBlock(text: string): TextBlock {
  return { type: 'text', text, cache_control: undefined };
}

function writeImage({ source, cache }: ImagePart): ImageBlock {
  if (source.kind === 'url') {
    return { type: 'image', source: { type: 'url', url: source.url }, cache_control: writeCache(cache) };
  }
  const type = mediaType(source.mediaType);
  const known = type === 'image/jpg' ? 'image/jpeg' : type;
  if (!IMAGE_TYPES.has(known)) throw refused('images must be JPEG, PNG, GIF or WebP');
  return {
    type: 'image',
    source: { type: 'base64', media_type: known, data: source.data },
    cache_control: writeCache(cache),
  };
}

/** A PDF, inline or by URL, or text. */
function writeDocument({ source, title, cache }: DocumentPart): DocumentBlock {
  const written = writeDocumentSource(source);
  if (written.type === 'text' && isBlank(written.data)) throw refused('a document is empty');
  return {
    type: 'document',
    source: written,
    title: title === undefined || isBlank(title) ? undefined : title.slice(0, MAX_TITLE_CHARS),
    cache_control: writeCache(cache),
  };
}

function writeDocumentSource(source: DocumentPart['source']): DocumentBlock['source'] {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  if (source.kind === 'text') return { type: 'text', media_type: 'text/plain', data: source.text };
  const type = mediaType(source.mediaType);
  if (type === 'application/pdf') return { type: 'base64', media_type: type, data: source.data };
  if (!type.startsWith('text/')) throw refused('documents must be PDF or text');
  const data = Buffer.from(source.data, 'base64').toString('utf8');
  return { type: 'text', media_type: 'text/plain', data };
}

/** Removes parameters such as a charset. */
function mediaType(given: string): string {
  return given.split(';', 1)[0]!.trim().toLowerCase();
}

function refused(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
