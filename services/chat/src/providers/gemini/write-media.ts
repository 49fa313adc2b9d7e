import { GatewayError } from '@gateway/errors';
import type { AudioPart, DocumentPart, ImagePart, MediaSource } from '../../domain/conversation';
import type { GeminiPart } from './gemini-content';

/** Of the path of a URL; Google fetches the file and wants to be told what it is. */
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
/** For a URL that does not say. */
const USUAL_TYPE = { image: 'image/jpeg', document: 'application/pdf', audio: 'audio/mp3' } as const;
/** Names in use for what Gemini calls otherwise. */
const GEMINI_TYPE: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['audio/mpeg', 'audio/mp3'],
  ['audio/x-wav', 'audio/wav'],
]);
/** Where our account keeps files, which are not the caller's: the host has several names. */
const OUR_FILES = /generativelanguage/;
/** Of its addresses Google makes videos, whatever it is told. */
const VIDEOS = /(^|\.)(youtube\.com|youtu\.be|youtube-nocookie\.com)\.?$/;
/**
 * What counts as an image. A video, a document or a text that says it is one would be taken for what it is, and
 * cost many times what an image does at most.
 */
const IMAGE_TYPES = new Set([
  ...['image/png', 'image/jpeg', 'image/webp', 'image/heic'],
  ...['image/heif', 'image/avif', 'image/gif', 'image/bmp'],
]);
/** And as a document: sound costs more than text at some models, and videos are not offered. */
const DOCUMENT_TYPE = /^(application\/(pdf|json)$|text\/)/;

/**
 * An image, a sound or a document.
 * @throws GatewayError `invalid_request` for one that is something else, and a URL that Google would not fetch for
 * the caller
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
 * Public and signed https URLs are fetched by Google (ai.google.dev/gemini-api/docs/file-input-methods). What
 * it cannot fetch it refuses itself.
 */
function writeUrl(kind: MediaKind, { url }: Extract<MediaSource, { kind: 'url' }>): GeminiPart {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:') throw refused(`${kind} URLs must be https for this model`);
  if (OUR_FILES.test(parsed.hostname)) throw refused('files uploaded to Google are not supported');
  if (VIDEOS.test(parsed.hostname)) throw refused('videos are not offered');
  const extension = /\.([a-z0-9]+)$/i.exec(parsed.pathname)?.[1]?.toLowerCase() ?? '';
  const said = TYPE_OF_EXTENSION.get(extension);
  const mimeType = said !== undefined && isOf(kind, said) ? said : USUAL_TYPE[kind];
  return { fileData: { mimeType, fileUri: parsed.href } };
}

function refused(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
