const MEGAPIXEL = 1_048_576;
const PNG = '89504e470d0a1a0a';

export const megapixelsOf = (width: number, height: number): number =>
  Math.ceil((width * height) / MEGAPIXEL);

/** Of an input image in base64 or a data URL. Only PNG headers are read; other images count as one megapixel. */
export function inputMegapixels(image: string): number {
  const base64 = image.slice(image.indexOf(',') + 1, image.indexOf(',') + 65);
  const head = Buffer.from(base64, 'base64');
  const isPng = head.length >= 24 && head.toString('hex', 0, 8) === PNG;
  return isPng ? megapixelsOf(head.readUInt32BE(16), head.readUInt32BE(20)) : 1;
}
