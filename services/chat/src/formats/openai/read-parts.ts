import { GatewayError } from '@gateway/errors';
import type {
  AudioPart,
  CacheHint,
  DocumentPart,
  ImagePart,
  MediaSource,
  TextPart,
} from '../../domain/conversation';
import { base64Source } from '../../domain/media-content';
import type { ChatMessage } from './chat-schema';

type Content = NonNullable<ChatMessage['content']>;
type ContentPart = Exclude<Content, string>[number];
export type ReadPart = TextPart | ImagePart | DocumentPart | AudioPart;

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,/i;
/** Base64 of `%PDF-`, the start of a PDF. */
const PDF_BASE64 = 'JVBERi';
/** OpenAI's default cache lifetime is shorter than an hour, and an hour costs the caller twice the input price. */
const CACHE_HINT: CacheHint = { ttl: '5m' };

/** @param path of the content, for error details */
export function readParts(content: ChatMessage['content'], path: string): ReadPart[] {
  if (typeof content === 'string') return wordsOf(content);
  return (content ?? []).flatMap((part, index) => readPart(part, `${path}[${index}]`));
}

/** Reads content that may only be text. */
export function readTexts(content: ChatMessage['content'], path: string): TextPart[] {
  if (typeof content === 'string') return wordsOf(content);
  return readParts(content, path).map((part) => {
    if (part.kind !== 'text') throw refused(path, 'only text is allowed here');
    return part;
  });
}

function wordsOf(content: string): TextPart[] {
  return content === '' ? [] : [{ kind: 'text', text: content, cache: undefined }];
}

/**
 * Reads a widely used extension (Anthropic's field, as OpenRouter and LiteLLM accept it in this format), and OpenAI's own
 * `prompt_cache_breakpoint`.
 */
export function readCacheHint(holder: object): CacheHint | undefined {
  const { cache_control, prompt_cache_breakpoint } = holder as Record<string, unknown>;
  return cache_control || prompt_cache_breakpoint ? CACHE_HINT : undefined;
}

export function refused(path: string, why: string): GatewayError {
  return new GatewayError('invalid_request', { detail: `${path}: ${why}` });
}

function readPart(part: ContentPart, path: string): ReadPart[] {
  const cache = readCacheHint(part);
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ kind: 'text', text: part.text, cache }];
    case 'refusal':
      return part.refusal === '' ? [] : [{ kind: 'text', text: part.refusal, cache }];
    case 'image_url':
      return [readImage(part.image_url, path, cache)];
    case 'input_audio':
      return [readAudio(part.input_audio)];
    case 'file':
      return [readFile(part.file, path, cache)];
  }
}

function readImage(
  { url, detail }: { url: string; detail?: unknown },
  path: string,
  cache: CacheHint | undefined,
): ImagePart {
  const source = readSource(url, path);
  return { kind: 'image', source, detail: typeof detail === 'string' ? detail : undefined, cache };
}

function readSource(url: string, path: string): MediaSource {
  if (/^https?:\/\//i.test(url)) return { kind: 'url', url };
  const { mediaType, data } = readDataUrl(url, path);
  return base64Source(mediaType, data);
}

function readAudio({ data, format }: { data: string; format: string }): AudioPart {
  return { kind: 'audio', source: base64Source(`audio/${format}`, data) };
}

function readFile(
  file: Record<string, unknown>,
  path: string,
  cache: CacheHint | undefined,
): DocumentPart | ImagePart {
  const { file_data: data, filename } = file;
  if (typeof data !== 'string' || data === '') {
    throw refused(path, file.file_id ? 'uploaded files are not supported by this model' : 'needs file_data');
  }
  // Some clients send plain base64.
  const read = data.startsWith(PDF_BASE64) ? { mediaType: 'application/pdf', data } : readDataUrl(data, path);
  if (read.mediaType.startsWith('image/')) {
    return { kind: 'image', source: base64Source(read.mediaType, read.data), detail: undefined, cache };
  }
  const title = typeof filename === 'string' && filename !== '' ? filename : undefined;
  if (read.mediaType === 'application/pdf') {
    return { kind: 'document', source: base64Source(read.mediaType, read.data), title, cache };
  }
  if (read.mediaType.startsWith('text/') || read.mediaType === 'application/json') {
    const text = Buffer.from(read.data, 'base64').toString('utf8');
    return { kind: 'document', source: { kind: 'text', text }, title, cache };
  }
  throw refused(path, 'only PDF, text and image files are supported by this model');
}

function readDataUrl(url: string, path: string): { mediaType: string; data: string } {
  const match = DATA_URL.exec(url.slice(0, 256));
  if (!match?.[1] || !match[3]) throw refused(path, 'needs an http(s) URL, or a data: URL in base64');
  return { mediaType: match[1].toLowerCase(), data: url.slice(match[0].length) };
}
