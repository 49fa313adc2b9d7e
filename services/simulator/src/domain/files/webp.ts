import type { Size } from './size';

/**
 * Returns a uniformly coloured lossless WebP (RFC 9649): each of the five prefix codes has a single symbol, so pixels take no
 * bits.
 */
export function toWebp({ width, height }: Size, hash: Buffer): Buffer {
  const bits = new BitWriter();
  bits.write(0x2f, 8);
  bits.write(width - 1, 14);
  bits.write(height - 1, 14);
  bits.write(0, 1 + 3);
  // No transform, no colour cache, one group of prefix codes.
  bits.write(0, 3);
  const [green = 0, red = 0, blue = 0] = hash;
  for (const symbol of [green, red, blue, 0xff]) bits.write(SIMPLE_8_BIT | (symbol << 3), 11);
  bits.write(SIMPLE_1_BIT, 4);
  const data = bits.toBuffer();
  const head = Buffer.from('RIFF____WEBPVP8L____', 'latin1');
  const padded = data.length + (data.length % 2);
  head.writeUInt32LE(12 + padded, 4);
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data, Buffer.alloc(padded - data.length)]);
}

// From the lowest bit: simple code, number of symbols minus one, whether the symbol has eight bits.
const SIMPLE_8_BIT = 0b101;
const SIMPLE_1_BIT = 0b001;

class BitWriter {
  readonly #bits: number[] = [];

  write(value: number, count: number): void {
    for (let i = 0; i < count; i++) this.#bits.push((value >> i) & 1);
  }

  toBuffer(): Buffer {
    const data = Buffer.alloc(Math.ceil(this.#bits.length / 8));
    this.#bits.forEach((bit, i) => {
      data[i >> 3]! |= bit << (i & 7);
    });
    return data;
  }
}
