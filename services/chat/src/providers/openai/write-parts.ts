import { GatewayError } from '@gateway/errors';
import type { AudioPart, DocumentPart, ImagePart, MediaSource, TextPart } from '../../domain/conversation';
import type { OpenAiQuirks } from './quirks';

export type WrittenPart = { readonly type: string } & Readonly<Record<string, unknown>>;

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
};

/** @throws GatewayError `invalid_request` for a media type that the provider does not support */
export function writePart(
  part: TextPart | ImagePart | DocumentPart | AudioPart,
  quirks: OpenAiQuirks,
): WrittenPart {
  switch (part.kind) {
    case 'text':
      return textPart(part.text);
    case 'image':
      return { type: 'image_url', image_url: { url: urlOf(part.source), detail: part.detail } };
    case 'document':
      return writeDocument(part, quirks);
    case 'audio':
      return writeAudio(part.source);
  }
}

export function textPart(text: string): WrittenPart {
  return { type: 'text', text };
}

function writeDocument({ source, title }: DocumentPart, { documentPart }: OpenAiQuirks): WrittenPart {
  if (source.kind === 'text') return textPart(title ? `${title}:\n\n${source.text}` : source.text);
  if (documentPart === 'document_url') return { type: 'document_url', document_url: urlOf(source) };
  if (documentPart === undefined) throw refused('documents are not supported by this model');
  if (source.kind === 'url') throw refused('documents by URL are not supported by this model');
  return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: urlOf(source) } };
}

function writeAudio(source: MediaSource): WrittenPart {
  const format = source.kind === 'base64' ? AUDIO_FORMATS[source.mediaType] : undefined;
  if (source.kind === 'url' || !format) throw refused('audio must be base64-encoded wav or mp3');
  return { type: 'input_audio', input_audio: { data: source.data, format } };
}

function urlOf(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function refused(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
