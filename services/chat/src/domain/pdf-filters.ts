import { inflateSync } from 'node:zlib';
import type { CpuDeadline } from './cpu-deadline';

/** Inflating can't be interrupted, and blocks without data take 75 ms per MB. */
const MAX_COMPRESSED_BYTES = 512 * 1024;
const MAX_FILTERS = 4;

/** Decodes the data of a stream. @throws Error for damaged data, and for more than `maxBytes` */
type Decode = (data: Buffer, parms: string, maxBytes: number, budget: CpuDeadline) => Buffer;

/** The standard filters without those of images and encryption (ISO 32000-1, 7.4). All of them mark the end of their data. */
const FILTERS: Readonly<Record<string, Decode>> = {
  FlateDecode: (data, parms, maxBytes, budget) => withoutPredictor(inflate(data, maxBytes), parms, budget),
  LZWDecode: (data, parms, maxBytes, budget) =>
    withoutPredictor(decodeLzw(data, earlyChangeOf(parms), maxBytes, budget), parms, budget),
  ASCII85Decode: decodeAscii85,
  ASCIIHexDecode: decodeHex,
  RunLengthDecode: decodeRuns,
};

const FILTER = /\/Filter\s*(?:\/(\w+)|\[([\s/\w]*)\])/;
const PARMS = /\/DecodeParms\s*(?:null\b|<<([^<>]*)>>|\[((?:\s*(?:null\b|<<[^<>]*>>))*)\s*\])/;

interface Filter {
  readonly decode: Decode;
  readonly parms: string;
}

/** Returns the filters of a stream in the order of decoding. @throws Error for those that are not read */
export function filtersOf(dictionary: string): readonly Filter[] {
  // `F` is a file with the data, or an abbreviation.
  const members = dictionary.match(/\/(?:Filter|F|DecodeParms|DP)\b/g) ?? [];
  if (members.length === 0) return [];
  const [, one, list = ''] = FILTER.exec(dictionary) ?? [];
  const names = one === undefined ? list.split(/[\s/]+/).filter((name) => name !== '') : [one];
  const found = PARMS.exec(dictionary);
  const parms = found?.[1] === undefined ? (found?.[2]?.match(/null\b|<<[^<>]*>>/g) ?? []) : [found[1]];
  const isReadable = members.length === (found ? 2 : 1) && (names.length === 1 || found?.[1] === undefined);
  if (!isReadable || names.length === 0 || names.length > MAX_FILTERS)
    throw new Error('an encoding that is not read');
  return names.map((name, place) => {
    const decode = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (!decode) throw new Error('an encoding that is not read');
    return { decode, parms: parms[place] ?? '' };
  });
}

function inflate(data: Buffer, maxOutputLength: number): Buffer {
  if (data.length > MAX_COMPRESSED_BYTES) throw new Error('a stream that is too large');
  return inflateSync(data, { maxOutputLength });
}

/** Returns a number of the parameters. */
function parmOf(parms: string, name: string, usual: number): number {
  const [member, another] = parms.match(new RegExp(`/${name}\\b\\s*[^\\s/>]*`, 'g')) ?? [];
  if (member === undefined) return usual;
  const [, digits] = /^\/\w+\s+(\d{1,6})$/.exec(member) ?? [];
  if (another !== undefined || digits === undefined) throw new Error('a parameter that cannot be read');
  return Number(digits);
}

const earlyChangeOf = (parms: string): number => parmOf(parms, 'EarlyChange', 1);

/** PNG's predictors, one for each row (PNG specification, 9.2). */
function withoutPredictor(data: Buffer, parms: string, budget: CpuDeadline): Buffer {
  const predictor = parmOf(parms, 'Predictor', 1);
  if (predictor === 1) return data;
  if (predictor < 10) throw new Error('a predictor of images');
  const bits = parmOf(parms, 'Colors', 1) * parmOf(parms, 'BitsPerComponent', 8);
  const pixel = Math.max(1, Math.ceil(bits / 8));
  const row = Math.ceil((parmOf(parms, 'Columns', 1) * bits) / 8);
  if (row === 0 || row > data.length) throw new Error('rows that are too long');
  const rows = Math.ceil(data.length / (row + 1));
  const decoded = Buffer.alloc(rows * row);
  for (let index = 0; index < data.length; index++) {
    const column = (index % (row + 1)) - 1;
    if (column < 0) {
      budget.spend(row * 4);
      continue;
    }
    const kind = data[index - column - 1]!;
    const at = Math.floor(index / (row + 1)) * row + column;
    const left = column < pixel ? 0 : decoded[at - pixel]!;
    const up = decoded[at - row] ?? 0;
    const corner = column < pixel ? 0 : (decoded[at - row - pixel] ?? 0);
    decoded[at] = data[index]! + predicted(kind, left, up, corner);
  }
  return decoded;
}

function predicted(kind: number, left: number, up: number, corner: number): number {
  if (kind === 0) return 0;
  if (kind === 1) return left;
  if (kind === 2) return up;
  if (kind === 3) return (left + up) >> 1;
  if (kind !== 4) throw new Error('an unknown predictor');
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map((by) =>
    Math.abs(by),
  );
  if (toLeft! <= toUp! && toLeft! <= toCorner!) return left;
  return toUp! <= toCorner! ? up : corner;
}

/** Collects decoded bytes up to a limit. */
class Output {
  readonly #maxBytes: number;
  #bytes = Buffer.allocUnsafe(4_096);
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(byte: number): void {
    if (this.length === this.#maxBytes) throw new Error('too much to read');
    if (this.length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
    this.#bytes[this.length++] = byte;
  }

  at(index: number): number {
    return this.#bytes[index]!;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}

const isSpace = (byte: number): boolean =>
  byte === 0 || (byte >= 9 && byte <= 13 && byte !== 11) || byte === 32;

/** What follows the end of the data must be nothing: decoders differ in whether they read on. */
function requireEnd(data: Buffer, at: number): void {
  for (let index = at; index < data.length; index++)
    if (!isSpace(data[index]!)) throw new Error('data after its end');
}

function decodeAscii85(data: Buffer, _parms: string, maxBytes: number, budget: CpuDeadline): Buffer {
  const output = new Output(maxBytes);
  let value = 0;
  let digits = 0;
  for (let at = 0; at < data.length; at++) {
    const byte = data[at]!;
    budget.spend(4);
    if (isSpace(byte)) continue;
    if (byte === 0x7e) {
      if (data[at + 1] !== 0x3e || digits === 1) break;
      for (let index = digits; digits > 0 && index < 5; index++) value = value * 85 + 84;
      for (let index = 0; index < digits - 1; index++) output.add((value / 256 ** (3 - index)) & 255);
      requireEnd(data, at + 2);
      return output.bytes;
    }
    if (byte === 0x7a && digits === 0) {
      for (let index = 0; index < 4; index++) output.add(0);
      continue;
    }
    if (byte < 0x21 || byte > 0x75) break;
    value = value * 85 + byte - 0x21;
    if (++digits < 5) continue;
    if (value > 0xffff_ffff) break;
    for (let index = 0; index < 4; index++) output.add((value / 256 ** (3 - index)) & 255);
    value = 0;
    digits = 0;
  }
  throw new Error('damaged data');
}

function decodeHex(data: Buffer, _parms: string, maxBytes: number, budget: CpuDeadline): Buffer {
  const output = new Output(maxBytes);
  let first = -1;
  for (let at = 0; at < data.length; at++) {
    const byte = data[at]!;
    budget.spend(4);
    if (isSpace(byte)) continue;
    if (byte === 0x3e) {
      if (first >= 0) output.add(first * 16);
      requireEnd(data, at + 1);
      return output.bytes;
    }
    const digit = hexDigit(byte);
    if (first < 0) first = digit;
    else {
      output.add(first * 16 + digit);
      first = -1;
    }
  }
  throw new Error('damaged data');
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  if (letter < 0x61 || letter > 0x66) throw new Error('damaged data');
  return letter - 0x57;
}

function decodeRuns(data: Buffer, _parms: string, maxBytes: number, budget: CpuDeadline): Buffer {
  const output = new Output(maxBytes);
  for (let at = 0; at < data.length; ) {
    const length = data[at++]!;
    budget.spend();
    if (length === 128) {
      requireEnd(data, at);
      return output.bytes;
    }
    const isRun = length > 128;
    const count = isRun ? 257 - length : length + 1;
    if (at + (isRun ? 1 : count) > data.length) break;
    for (let index = 0; index < count; index++) output.add(data[isRun ? at : at + index]!);
    at += isRun ? 1 : count;
  }
  throw new Error('damaged data');
}

const CLEAR = 256;
const END = 257;
const FIRST_CODE = 258;
const MAX_CODES = 4_096;
const MIN_BITS = 9;

/** Codes of 9 to 12 bits (ISO 32000-1, 7.4.4). @param early how many codes earlier their length grows: 1, or 0 */
function decodeLzw(data: Buffer, early: number, maxBytes: number, budget: CpuDeadline): Buffer {
  const output = new Output(maxBytes);
  // A code stands for bytes that are in the output already: those of the code before it, and the next one.
  const starts = new Uint32Array(MAX_CODES);
  const lengths = new Uint16Array(MAX_CODES);
  let next = FIRST_CODE;
  let bits = MIN_BITS;
  let before = -1;
  for (let bitAt = 0; bitAt + bits <= data.length * 8; ) {
    const byteAt = bitAt >> 3;
    const window = (data[byteAt]! << 16) | ((data[byteAt + 1] ?? 0) << 8) | (data[byteAt + 2] ?? 0);
    const code = (window >> (24 - bits - (bitAt & 7))) & ((1 << bits) - 1);
    bitAt += bits;
    if (code === END) {
      requireEnd(data, (bitAt + 7) >> 3);
      return output.bytes;
    }
    if (code === CLEAR) {
      [next, bits, before] = [FIRST_CODE, MIN_BITS, -1];
      continue;
    }
    const start = output.length;
    if (code < CLEAR) output.add(code);
    else if (code < next || (code === next && before >= 0)) {
      const from = code < next ? starts[code]! : before;
      const length = code < next ? lengths[code]! : start - before + 1;
      for (let index = 0; index < length; index++) output.add(output.at(from + index));
    } else break;
    budget.spend(16 + output.length - start);
    if (before >= 0 && next < MAX_CODES) {
      starts[next] = before;
      lengths[next] = start - before + 1;
      next++;
      if (next + early >= 1 << bits && bits < 12) bits++;
    }
    before = start;
  }
  throw new Error('damaged data');
}
