import type { UploadKind } from '../../domain/upload';

/** Maximum bytes of a header that are examined at once: those of a JPEG frame. */
const HEADER_BYTES = 30;
const MARKER = 0xff;
const START_OF_SCAN = 0xda;
/** Tables and extensions, whose markers are in the range of frame markers. */
const NO_FRAMES = new Set([0xc4, 0xc8, 0xcc]);

/**
 * Reads the number of pixels from the header of an image, as the file arrives, and keeps only a few bytes of it.
 */
export class PixelCounter {
  readonly #kind: UploadKind;
  /** Bytes that were not enough to decide. */
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of a segment that are skipped. */
  #skipBytes = 0;
  #pixels: number | undefined;
  #isDone = false;

  constructor(kind: UploadKind) {
    this.#kind = kind;
    // After the magic number.
    if (kind === 'jpeg') this.#skipBytes = 2;
  }

  /** Undefined: it can't be determined, or not yet. */
  get pixels(): number | undefined {
    return this.#pixels;
  }

  push(piece: Buffer): void {
    if (this.#isDone) return;
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece;
    for (;;) {
      const skipped = Math.min(this.#skipBytes, bytes.length);
      this.#skipBytes -= skipped;
      bytes = bytes.subarray(skipped);
      const used = this.#scan(bytes);
      if (this.#isDone) break;
      if (used === 0) {
        // A copy, because the piece may be large.
        this.#rest = Buffer.from(bytes);
        return;
      }
      this.#skipBytes = used;
    }
    this.#rest = Buffer.alloc(0);
  }

  /** Returns the number of bytes to skip; 0: more are needed. */
  #scan(bytes: Buffer): number {
    if (this.#kind === 'jpeg') return this.#scanSegment(bytes);
    if (bytes.length < HEADER_BYTES) return 0;
    if (this.#kind === 'png') return this.#end(pngPixels(bytes));
    return this.#end(this.#kind === 'webp' ? webpPixels(bytes) : undefined);
  }

  #scanSegment(bytes: Buffer): number {
    if (bytes.length < 2) return 0;
    if (bytes[0] !== MARKER) return this.#end(undefined);
    const code = bytes[1]!;
    // Padding, and markers without content.
    if (code === MARKER) return 1;
    if (code === 0x01 || (code >= 0xd0 && code <= 0xd8)) return 2;
    if (code === START_OF_SCAN || code < 0xc0 || code === 0xd9) return this.#end(undefined);
    if (bytes.length < 4) return 0;
    const isFrame = code >= 0xc0 && code <= 0xcf && !NO_FRAMES.has(code);
    if (!isFrame) return 2 + Math.max(bytes.readUInt16BE(2), 2);
    if (bytes.length < 9) return 0;
    return this.#end(bytes.readUInt16BE(5) * bytes.readUInt16BE(7));
  }

  /** A height of 0, which is given at the end of the file, is not reliable. */
  #end(pixels: number | undefined): 0 {
    this.#isDone = true;
    this.#pixels = pixels || undefined;
    return 0;
  }
}

function pngPixels(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return bytes.readUInt32BE(16) * bytes.readUInt32BE(20);
}

function webpPixels(bytes: Buffer): number | undefined {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return (bytes.readUIntLE(24, 3) + 1) * (bytes.readUIntLE(27, 3) + 1);
  if (chunk === 'VP8L' && bytes[20] === 0x2f) {
    const sizes = bytes.readUInt32LE(21);
    return ((sizes & 0x3fff) + 1) * (((sizes >>> 14) & 0x3fff) + 1);
  }
  const isFrame = chunk === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a;
  return isFrame ? (bytes.readUInt16LE(26) & 0x3fff) * (bytes.readUInt16LE(28) & 0x3fff) : undefined;
}
