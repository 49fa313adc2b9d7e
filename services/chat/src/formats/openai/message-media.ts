import { GatewayError } from '@gateway/errors';
import { refusalOfLink, textOf } from '@gateway/upstream';
import type { RequestSize } from '../../domain/upper-bound';
import { sizeOfAudio } from '../audio-size';
import type { ChatMessage } from './chat-schema';

type ContentPart = Exclude<ChatMessage['content'], string | null | undefined>[number];

/** Base64 of `%PDF-`, the start of a PDF. */
const PDF_BASE64 = 'JVBERi';
const PDF_URL = /^data:application\/pdf(?:;[^;,]*)*;base64,(?=JVBERi)/i;
const MAX_HEAD_CHARS = 256;

/** Returns the figures of the messages' images, audio and files. */
export const sizeOfMedia = (
  messages: readonly ChatMessage[],
): Pick<RequestSize, 'hasMedia' | 'images' | 'imageBytes' | 'pdfs' | 'pdfBytes' | 'links' | 'audio'> => ({
  hasMedia: messages.some(hasMedia),
  ...audioOf(messages),
  ...sizeOfImages(messages),
  ...sizeOfPdfs(messages),
  ...linksOf(messages),
});

/**
 * The provider fetches links from inside its network: a link must not lead there, nor be readable on the way.
 * @param list name of the list for error details
 * @throws GatewayError `invalid_request`
 */
export function refusePrivateLinks(messages: readonly ChatMessage[], list: string): void {
  for (const [index, { content }] of messages.entries()) {
    for (const [at, part] of (Array.isArray(content) ? content : []).entries()) {
      for (const { field, link } of linksOfPart(part)) {
        const why = refusalOfLink(link);
        const detail = `${list}[${index}].content[${at}].${field}: ${why}`;
        if (why) throw new GatewayError('invalid_request', { detail });
      }
    }
  }
}

function linksOf(messages: readonly ChatMessage[]): Pick<RequestSize, 'links'> {
  const links = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.flatMap(linksOfPart).map(({ link }) => link) : [],
  );
  return links.length > 0 ? { links } : {};
}

const DATA_URL = /^data:/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

function linksOfPart(part: ContentPart): { readonly field: string; readonly link: string }[] {
  const links: { field: string; link: string }[] = [];
  if (part.type === 'image_url') links.push({ field: 'image_url.url', link: part.image_url.url });
  if (part.type === 'file') {
    // `file_data` may also be plain base64.
    for (const field of ['file_data', 'file_url']) {
      const link = textOf(part.file[field]);
      if (SCHEME.test(link)) links.push({ field: `file.${field}`, link });
    }
  }
  return links.filter(({ link }) => !DATA_URL.test(link));
}

function hasMedia({ content }: ChatMessage): boolean {
  return (
    Array.isArray(content) && content.some((part) => part.type === 'file' && pdfDataOf(part) === undefined)
  );
}

/** Returns the base64 of an inline PDF, given with or without the prefix of a data URL; undefined for anything else. */
function pdfDataOf(part: ContentPart): string | undefined {
  const data = part.type === 'file' ? textOf(part.file.file_data) : '';
  if (data.startsWith(PDF_BASE64)) return data;
  const head = PDF_URL.exec(data.slice(0, MAX_HEAD_CHARS))?.[0];
  return head === undefined ? undefined : data.slice(head.length);
}

function audioOf(messages: readonly ChatMessage[]): ReturnType<typeof sizeOfAudio> {
  const inline = messages.flatMap(({ content }) =>
    Array.isArray(content)
      ? content.flatMap((part) =>
          part.type === 'input_audio' ? [{ data: part.input_audio.data, type: part.input_audio.format }] : [],
        )
      : [],
  );
  // Clients send replies back with their data, which only the provider keeps.
  const replies = messages.flatMap(({ audio }) => (audio ? [textOf(audio.data)] : []));
  const { audio, ...media } = sizeOfAudio(inline, 0, replies.length);
  const bytes = replies.reduce((sum, { length }) => sum + length, 0);
  return { ...media, ...(audio && { audio: { ...audio, bytes: audio.bytes + bytes } }) };
}

function sizeOfPdfs(messages: readonly ChatMessage[]): Pick<RequestSize, 'pdfs' | 'pdfBytes'> {
  const pdfs: string[] = [];
  let pdfBytes = 0;
  for (const { content } of messages) {
    for (const part of Array.isArray(content) ? content : []) {
      const data = pdfDataOf(part);
      if (data === undefined) continue;
      pdfs.push(data);
      pdfBytes += data.length;
    }
  }
  return pdfs.length > 0 ? { pdfs, pdfBytes } : {};
}

function sizeOfImages(messages: readonly ChatMessage[]): { images: number; imageBytes: number } {
  let images = 0;
  let imageBytes = 0;
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      if (part.type !== 'image_url') continue;
      images++;
      imageBytes += part.image_url.url.length;
    }
  }
  return { images, imageBytes };
}
