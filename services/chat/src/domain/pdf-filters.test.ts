import { deflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { CpuDeadline } from './cpu-deadline';
import { pdfOf } from './pdf.fixture';
import { filtersOf } from './pdf-filters';
import { pdfSize } from './pdf-size';

const TEXT = 'The quick brown fox jumps over the lazy dog, and (1) more. '.repeat(40);

function ascii85(bytes: Buffer): string {
  let encoded = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const group = Buffer.alloc(4);
    const length = bytes.copy(group, 0, at, at + 4);
    let value = group.readUInt32BE();
    let digits = '';
    for (let digit = 0; digit < 5; digit++) {
      digits = String.fromCharCode(33 + (value % 85)) + digits;
      value = Math.floor(value / 85);
    }
    encoded += length === 4 && group.readUInt32BE() === 0 ? 'z' : digits.slice(0, length + 1);
  }
  return `${encoded.replace(/.{70}/g, '$&\n')}~>`;
}

const hex = (bytes: Buffer) => `${bytes.toString('hex')} >`;

function runs(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 128) {
    const piece = bytes.subarray(at, at + 128);
    pieces.push(Buffer.from([piece.length - 1]), piece);
  }
  // Three blanks as a run.
  return Buffer.concat([...pieces, Buffer.from([254, 32, 128])]);
}

/** Codes that grow one code early, as usual, or not. */
function lzw(bytes: Buffer, early = 1): Buffer {
  const table = new Map<string, number>();
  let bits = '';
  let size = 9;
  let next = 258;
  const put = (code: number) => {
    bits += code.toString(2).padStart(size, '0');
  };
  const codeOf = (text: string) => (text.length === 1 ? text.charCodeAt(0) : table.get(text)!);
  put(256);
  let before = '';
  for (const char of bytes.toString('latin1')) {
    if (before === '' || table.has(before + char)) {
      before += char;
      continue;
    }
    put(codeOf(before));
    table.set(before + char, next++);
    // The decoder knows a code one step later.
    if (next - 1 + early >= 1 << size && size < 12) size++;
    before = char;
  }
  put(codeOf(before));
  if (next + early >= 1 << size && size < 12) size++;
  put(257);
  return Buffer.from(bits.match(/.{1,8}/g)!.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));
}

/** Rows of 20 bytes, each by another predictor of PNG. */
function predicted(bytes: Buffer): Buffer {
  const row = 20;
  const rows: Buffer[] = [];
  const at = (index: number, column: number) => (column < 0 || index < 0 ? 0 : (bytes[index] ?? 0));
  for (let start = 0; start < bytes.length; start += row) {
    const kind = (start / row) % 3;
    const line = bytes.subarray(start, start + row).map((byte, column) => {
      if (kind === 0) return byte;
      return byte - (kind === 1 ? at(start + column - 1, column - 1) : at(start + column - row, 0));
    });
    rows.push(Buffer.from([kind]), Buffer.from(line));
  }
  return Buffer.concat(rows);
}

const bytes = Buffer.from(TEXT);
const deflated = deflateSync(bytes);

test.each<[string, string, Buffer | string]>([
  [
    'ASCII85 around Flate, as reportlab writes it',
    '/Filter [ /ASCII85Decode /FlateDecode ]',
    ascii85(deflated),
  ],
  ['ASCII85 alone', '/Filter/ASCII85Decode', ascii85(bytes)],
  ['hexadecimal digits', '/Filter [/ASCIIHexDecode]', hex(bytes)],
  ['hexadecimal digits around runs', '/Filter[/ASCIIHexDecode/RunLengthDecode]', hex(runs(bytes))],
  ['runs', '/Filter /RunLengthDecode', runs(bytes)],
  ['LZW', '/Filter /LZWDecode', lzw(bytes)],
  ['LZW whose codes grow later', '/Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>', lzw(bytes, 0)],
  ['ASCII85 around LZW', '/Filter [/ASCII85Decode /LZWDecode] /DecodeParms [null null]', ascii85(lzw(bytes))],
  [
    'Flate with the predictors of PNG',
    '/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 20 >>',
    deflateSync(predicted(bytes)),
  ],
])('data in %s is decoded', (_, dictionary, data) => {
  let decoded: Buffer = Buffer.from(data as string, 'latin1');
  for (const { decode, parms } of filtersOf(dictionary))
    decoded = decode(decoded, parms, 100_000, new CpuDeadline(1_000));
  expect(decoded.toString('latin1').trimEnd()).toBe(TEXT.trimEnd());
});

describe('a stream is not read', () => {
  const read = (dictionary: string, data: Buffer | string, maxBytes = 100_000, budgetMs = 1_000) => {
    let decoded: Buffer = Buffer.from(data as string, 'latin1');
    for (const { decode, parms } of filtersOf(dictionary))
      decoded = decode(decoded, parms, maxBytes, new CpuDeadline(budgetMs));
  };
  test.each<[string, string, Buffer | string]>([
    ['a filter of images', '/Filter /DCTDecode', bytes],
    ['a filter of encryption', '/Filter [/Crypt /FlateDecode]', deflated],
    ['an unknown filter', '/Filter /constructor', bytes],
    ['a filter in another object', '/Filter 9 0 R', deflated],
    ['parameters in another object', '/Filter /FlateDecode /DecodeParms 9 0 R', deflated],
    ['a file with the data', '/F ()', bytes],
    ['two filters of one stream', '/Filter /FlateDecode /Filter /LZWDecode', deflated],
    ['many filters', `/Filter [${'/ASCIIHexDecode '.repeat(5)}]`, hex(bytes)],
    ['a predictor of images', '/Filter /FlateDecode /DecodeParms << /Predictor 2 >>', deflated],
    ['ASCII85 without an end', '/Filter /ASCII85Decode', ascii85(bytes).slice(0, -2)],
    ['data after the end of ASCII85', '/Filter /ASCII85Decode', `${ascii85(bytes)}87cURD]i~>`],
    ['a group of ASCII85 beyond 32 bits', '/Filter /ASCII85Decode', 'uuuuu~>'],
    ['hexadecimal digits without an end', '/Filter /ASCIIHexDecode', bytes.toString('hex')],
    ['runs without an end', '/Filter /RunLengthDecode', runs(bytes).subarray(0, -1)],
    ['LZW without an end', '/Filter /LZWDecode', lzw(bytes).subarray(0, -2)],
    ['an unknown code of LZW', '/Filter /LZWDecode', Buffer.from([0x80, 0x3f, 0xff])],
  ])('because of %s', (_, dictionary, data) => {
    expect(() => read(dictionary, data)).toThrow();
  });

  test('beyond a limit of bytes, or of CPU time', () => {
    const long = Buffer.concat([...Array<Buffer>(10_000).fill(Buffer.from([129, 65])), Buffer.from([128])]);
    expect(() => read('/Filter /RunLengthDecode', long)).toThrow('too much');
    const zeros = `${'z'.repeat(2_000_000)}~>`;
    expect(() => read('/Filter /ASCII85Decode', zeros)).toThrow('too much');
    expect(() => read('/Filter /LZWDecode', lzw(Buffer.alloc(50_000)), 100_000, -1)).toThrow('CPU');
  });
});

test('a page by the defaults of reportlab is bounded by its text', () => {
  const content = ascii85(deflateSync(Buffer.from('BT /F1 12 Tf 14.4 TL (Hello, world.) Tj T* ET')));
  const stream = `<<\n/Filter [ /ASCII85Decode /FlateDecode ] /Length ${content.length}\n>>\nstream\n${content}endstream`;
  const edit = (object: string) => object.replace(/\/Contents \d+ 0 R/, '/Contents 9100 0 R');
  const pdf = pdfOf({ more: [stream], edit });
  expect(pdfSize(pdf.toString('base64'), new CpuDeadline(1_000))).toMatchObject({ pages: 1 });
});
