import { GatewayError } from '@gateway/errors';
import type { AudioPart, DocumentPart, ImagePart, MediaSource } from '../../domain/conversation';
import type { GeminiPart } from './gemini-content';

/** Media types by the extension of a URL's path; Google fetches the file and requires its type. */
const TYPE_OF_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['bmp', 'image/bmp'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/plain'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['xml', 'text/xml'],
  ['json', 'application/json'],
]);
/** For a URL without an extension. */
const USUAL_TYPE = { image: 'image/jpeg', document: 'application/pdf', audio: 'audio/mp3' } as const;
/** Common names of types that Gemini names differently. */
const GEMINI_TYPE: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['audio/mpeg', 'audio/mp3'],
  ['audio/x-wav', 'audio/wav'],
]);
/** Hosts of our account's own files, which are not the caller's. */
const OUR_FILES = /generativelanguage/;
/** Google treats these addresses as videos, whatever type is given. */
const VIDEOS = /(^|\.)(youtube\.com|youtu\.be|youtube-nocookie\.com)\.?$/;
/**
 * Types accepted as an image. A video, document or text declared as an image would be treated by its content, and could cost
 * many times an image's maximum.
 */
const IMAGE_TYPES = new Set([
  ...['image/png', 'image/jpeg', 'image/webp', 'image/heic'],
  ...['image/heif', 'image/avif', 'image/gif', 'image/bmp'],
]);
/** Types accepted as a document: audio costs more than text with some models, and videos are not supported. */
const DOCUMENT_TYPE = /^(application\/(pdf|json)$|text\/)/;

/**
 * Writes an image, audio or document.
 * @throws GatewayError `invalid_request` for other types, and for a URL that Google must not fetch for the caller
 */
export function writeMedia(part: ImagePart | DocumentPart | AudioPart): GeminiPart {
  if (part.source.kind === 'text') return { text: writeTextDocument(part as DocumentPart, part.source.text) };
  if (part.source.kind === 'url') return writeUrl(part.kind, part.source);
  const { mediaType, data } = part.source;
  const mimeType = GEMINI_TYPE.get(mediaType) ?? mediaType;
  if (!isOf(part.kind, mimeType)) throw refused(WANTED[part.kind]);
  return { inlineData: { mimeType, data } };
}

type MediaKind = keyof typeof USUAL_TYPE;

const WANTED: Readonly<Record<MediaKind, string>> = {
  image: 'images must be PNG, JPEG, WebP, HEIC or HEIF for this model',
  document: 'documents must be PDF or text for this model',
  audio: 'audio must be of an audio type',
};

function isOf(kind: MediaKind, mimeType: string): boolean {
  if (kind === 'image') return IMAGE_TYPES.has(mimeType);
  return kind === 'document' ? DOCUMENT_TYPE.test(mimeType) : mimeType.startsWith('audio/');
}

function writeTextDocument({ title }: DocumentPart, text: string): string {
  return title ? `${title}\n\n${text}` : text;
}

/**
 * Google fetches public and signed https URLs (ai.google.dev/gemini-api/docs/file-input-methods), and itself refuses those
 * that it can't fetch.
 */
function writeUrl(kind: MediaKind, { url }: Extract<MediaSource, { kind: 'url' }>): GeminiPart {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:') throw refused(`${kind} URLs must be https for this model`);
  if (OUR_FILES.test(parsed.hostname)) throw refused('files uploaded to Google are not supported');
  if (VIDEOS.test(parsed.hostname)) throw refused('videos are not supported');
  const extension = /\.([a-z0-9]+)$/i.exec(parsed.pathname)?.[1]?.toLowerCase() ?? '';
  const said = TYPE_OF_EXTENSION.get(extension);
  const mimeType = said !== undefined && isOf(kind, said) ? said : USUAL_TYPE[kind];
  return { fileData: { mimeType, fileUri: parsed.href } };
}

function refused(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
