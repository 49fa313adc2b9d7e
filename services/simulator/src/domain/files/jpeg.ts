import type { Size } from './size';

const DIFFERENCE_BITS = 7;

/**
 * Returns a uniformly grey baseline JPEG (ITU T.81): the first block sets the shade, each further block repeats it in two
 * bits, with Huffman tables of one and two symbols.
 */
export function toJpeg({ width, height }: Size, hash: Buffer): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    segment(0xe0, Buffer.from('4a46494600010100000100010000', 'hex')),
    segment(0xfe, Buffer.from(hash.toString('hex'), 'latin1')),
    segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 8)])),
    segment(0xc0, frame(width, height)),
    // DC differences: '0' is none, '10' one of DIFFERENCE_BITS bits. AC: '0' ends the block.
    segment(0xc4, huffmanTable(0x00, [1, 1], [0, DIFFERENCE_BITS])),
    segment(0xc4, huffmanTable(0x10, [1], [0])),
    segment(0xda, Buffer.from('010100003f00', 'hex')),
    scan(blocks, hash[0]! & 0x7f),
    Buffer.from('ffd9', 'hex'),
  ]);
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

function frame(width: number, height: number): Buffer {
  const data = Buffer.from('080000000001011100', 'hex');
  data.writeUInt16BE(height, 1);
  data.writeUInt16BE(width, 3);
  return data;
}

/** @param counts number of codes by length, starting at one bit */
function huffmanTable(id: number, counts: number[], symbols: number[]): Buffer {
  const data = Buffer.alloc(17);
  data[0] = id;
  data.set(counts, 1);
  return Buffer.concat([data, Buffer.from(symbols)]);
}

/** @param difference 7 bits; negative, a darker grey, if the top bit is 0 */
function scan(blocks: number, difference: number): Buffer {
  const first = `10${difference.toString(2).padStart(DIFFERENCE_BITS, '0')}0`;
  const bits = first.length + 2 * (blocks - 1);
  const data = Buffer.alloc(Math.ceil(bits / 8));
  data.writeUInt16BE(Number.parseInt(first.padEnd(16, '0'), 2));
  // The standard pads the last byte with ones. No byte consists of ones only, which would read as a marker.
  const spare = data.length * 8 - bits;
  data[data.length - 1]! |= (1 << spare) - 1;
  return data;
}
