import type { MediaSource } from './conversation';

/** Enough for the signatures of all types. */
const HEAD_CHARS = 64;

const WAV_TYPES = new Set(['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave']);
const MP3_TYPES = new Set(['audio/mp3', 'audio/mpeg', 'audio/mpga']);

/**
 * Returns the type of an image or of audio by its first bytes, because providers refuse another one; the given type if they are of no
 * known type, or of another kind.
 * @param data base64
 */
export function mediaTypeOf(given: string, data: string): string {
  const isImage = /^image\//i.test(given);
  if (!isImage && !/^audio\//i.test(given)) return given;
  const head = Buffer.from(data.slice(0, HEAD_CHARS), 'base64');
  return (isImage ? imageType(head) : audioType(head, given)) ?? given;
}

function imageType(head: Buffer): string | undefined {
  const text = head.toString('latin1');
  if (text.startsWith('\x89PNG\r\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif';
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'image/webp';
  if (!text.startsWith('ftyp', 4)) return undefined;
  const brand = text.slice(8, 12);
  if (['heic', 'heix', 'hevc', 'hevx'].includes(brand)) return 'image/heic';
  return brand === 'mif1' || brand === 'msf1' ? 'image/heif' : undefined;
}

/** The types of one format have several names, so a given one is kept. */
function audioType(head: Buffer, given: string): string | undefined {
  const text = head.toString('latin1');
  if (text.startsWith('RIFF') && text.startsWith('WAVE', 8))
    return WAV_TYPES.has(given) ? given : 'audio/wav';
  if (text.startsWith('fLaC')) return 'audio/flac';
  if (text.startsWith('OggS')) return 'audio/ogg';
  // A frame of layer III, or tags before the first one.
  const [first = 0, second = 0] = head;
  const isMp3 = text.startsWith('ID3') || (first === 0xff && (second & 0xe6) === 0xe2);
  if (!isMp3) return undefined;
  return MP3_TYPES.has(given) ? given : 'audio/mp3';
}

/** Returns base64 without line breaks and other white space; the same text if it has none. */
export function unbrokenBase64(data: string): string {
  const hasSpace = data.includes('\n') || data.includes(' ') || data.includes('\r') || data.includes('\t');
  return hasSpace ? data.replaceAll(/\s+/g, '') : data;
}

/** Returns base64 without white space in the usual alphabet; the same text if it is that already. */
export function plainBase64(data: string): string {
  const unbroken = unbrokenBase64(data);
  const isForUrls = unbroken.includes('-') || unbroken.includes('_');
  return isForUrls ? unbroken.replaceAll('-', '+').replaceAll('_', '/') : unbroken;
}

/** Returns inline media as every provider accepts it. @param given media type */
export const base64Source = (given: string, data: string): Extract<MediaSource, { kind: 'base64' }> => ({
  kind: 'base64',
  mediaType: mediaTypeOf(given, data),
  data: plainBase64(data),
});

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*;base64),/i;
const MAX_URL_HEAD_CHARS = 256;

/** Returns a data URL with the type of its bytes and plain base64; any other text is unchanged. */
export function fitDataUrl(url: string): string {
  const [head, given = '', parameters = ''] = DATA_URL.exec(url.slice(0, MAX_URL_HEAD_CHARS)) ?? [];
  if (head === undefined) return url;
  const data = url.slice(head.length);
  const mediaType = mediaTypeOf(given, data);
  const plain = plainBase64(data);
  return mediaType === given && plain === data ? url : `data:${mediaType}${parameters},${plain}`;
}
