import { deflateSync } from 'node:zlib';
import { threadCpuMs } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import { CpuDeadline } from './cpu-deadline';
import { type PdfParts, pdfOf, streamOf } from './pdf.fixture';
import { pdfSize as sizeWithin } from './pdf-size';

const HEAVY = process.env.TEST_HEAVY !== undefined;

const pdfSize = (base64: string) => sizeWithin(base64, new CpuDeadline(5_000));

const sizeOf = (parts: PdfParts = {}) => pdfSize(pdfOf(parts).toString('base64'));
/** About one page of text. */
const PROSE = 'The quick brown fox jumps over the lazy dog. '.repeat(70).trim();

describe('the size of an ordinary PDF', () => {
  test.each<[string, PdfParts]>([
    ['without compression', { compressed: false }],
    ['with compression', {}],
    ['with object streams', { objectStream: true }],
  ])('has the pages and at least the text bytes of a PDF %s', (_, form) => {
    for (const pages of [1, 3, 40]) {
      const size = sizeOf({ pages, text: PROSE, ...form });
      expect(size?.pages).toBe(pages);
      expect(size?.textTokens).toBeGreaterThanOrEqual(pages * PROSE.length);
      expect(size?.textTokens).toBeLessThan(pages * (3 * PROSE.length + 500) + 1_000);
    }
  });

  test('counts the text of a form each time it is shown', () => {
    const form = streamOf('BT (a letterhead) Tj ET', true, '/Type /XObject /Subtype /Form ');
    const edit = (object: string) => object.replace('/Font <<', '/XObject << /X 9100 0 R >> /Font <<');
    const shown = { more: [form], edit, text: ') Tj /X Do (' };
    const one = sizeOf(shown)!.textTokens - sizeOf({ text: ') Tj /X Do (' })!.textTokens;
    expect(one).toBeGreaterThanOrEqual('a letterhead'.length);
    const ten =
      sizeOf({ ...shown, pages: 10 })!.textTokens - sizeOf({ pages: 10, text: ') Tj /X Do (' })!.textTokens;
    expect(ten).toBe(10 * one);
  });

  test('counts content shared by several pages once per page', () => {
    const alone = sizeOf({ pages: 10, text: 'x' })!.textTokens;
    const shared = streamOf(`BT (${PROSE}) Tj ET`);
    const edit = (object: string) => object.replace(/\/Contents \d+ 0 R/, '/Contents [9100 0 R]');
    const size = sizeOf({ pages: 10, text: 'x', more: [shared], edit })!;
    expect(size.textTokens - alone).toBeGreaterThanOrEqual(10 * PROSE.length - 100);
  });

  test('counts a character code as all characters that its font maps it to', () => {
    const edit = (object: string) => object.replace('/ToUnicode 4 0 R', '/ToUnicode 9100 0 R');
    const map = streamOf(`begincmap 1 beginbfchar <41> <${'0041'.repeat(100)}> endbfchar endcmap`);
    const text = 'A'.repeat(1_000);
    expect(sizeOf({ text, edit, more: [map] })!.textTokens).toBeGreaterThanOrEqual(100_000);
  });
});

describe('a PDF that could hide pages or text has no bound', () => {
  const replaced = (from: string | RegExp, to: string): PdfParts => ({
    edit: (object) => object.replace(from, to),
  });
  test.each<[string, PdfParts | Buffer]>([
    ['a file that is not a PDF', Buffer.from('hello')],
    ['a truncated file', pdfOf({ pages: 5 }).subarray(0, 700)],
    ['an encrypted file', replaced('/Type /Catalog', '/Type /Catalog /Encrypt 5 0 R')],
    ['an XFA form', replaced('/Type /Catalog', '/Type /Catalog /XFA 5 0 R')],
    ['a page listed twice', replaced('/Kids [10 0 R]', '/Kids [10 0 R 10 0 R]')],
    ['pages in an array in another object', replaced('/Kids [10 0 R]', '/Kids 9100 0 R')],
    ['pages that are not objects', replaced('/Kids [10 0 R]', '/Kids [<< /Contents 11 0 R >>]')],
    ['a name with escaped letters', replaced('/Kids [', '/#4bids [')],
    [
      'content in an array in another object',
      { ...replaced(/\/Contents \d+ 0 R/, '/Contents 9100 0 R'), more: ['[11 0 R]'] },
    ],
    ['content in a missing object', replaced(/\/Contents \d+ 0 R/, '/Contents 99 0 R')],
    [
      'content in another encoding',
      {
        ...replaced(/\/Contents \d+ 0 R/, '/Contents 9100 0 R'),
        more: [streamOf('x', false, '/Filter /LZWDecode')],
      },
    ],
    [
      'content that inflates beyond the limit',
      { ...replaced(/\/Contents \d+ 0 R/, '/Contents 9100 0 R'), more: [streamOf(' '.repeat(9_000_000))] },
    ],
    [
      'forms within forms',
      {
        text: ') Tj /X Do (',
        more: [streamOf('(x) Tj /Y Do', true, '/Subtype /Form'), streamOf('(y) Tj', true, '/Subtype /Form')],
      },
    ],
    [
      'a form whose subtype is in another object',
      { text: ') Tj /X Do (', more: [streamOf('(x) Tj', true, '/Subtype 9001 0 R')] },
    ],
    ['an object in the data of a stream', { more: [streamOf('7 0 obj << /Type /Page >> endobj', false)] }],
    ['an object in a comment', { more: ['<<>> % 7 0 obj << /Type /Page >> endobj\n'] }],
    ['an object in a string', { more: ['<< /X (7 0 obj << /Type /Page >> endobj) >>'] }],
    ['an object behind comments', { more: [streamOf('7%\n0%\n obj << /Type /Page >> endobj', false)] }],
    [
      'pages in a string of an object stream',
      {
        objectStream: true,
        ...replaced('/Type /Catalog', '/Type /Catalog /X (<< /Kids [10 0 R 11 0 R] >>)'),
      },
    ],
    [
      'content without a length, which may continue after an apparent end',
      {
        ...replaced(/\/Contents \d+ 0 R/, '/Contents 9100 0 R'),
        more: ['<< /Length 9101 0 R >>stream\n(a) Tj\nendstream', '<<>>stream\n(b) Tj\nendstream'],
      },
    ],
    ['text that properties repeat', { more: ['<< /Properties << /P << /ActualText (long) >> >> >>'] }],
  ])('because of %s', (_, pdf) => {
    const bytes = Buffer.isBuffer(pdf) ? pdf : pdfOf(pdf);
    expect(pdfSize(bytes.toString('base64'))).toBeUndefined();
  });

  test('pages after a comment, after a string and in an object stream are counted', () => {
    const hidden = '<< /Type%c\n/Page /Parent 2 0 R (endobj) >>';
    expect(sizeOf({ more: [hidden] })?.pages).toBe(2);
    const edit = (object: string) => object.replace('/Type /Pages', '/Type%x\n/Pages /X << /Type /Page >>');
    expect(sizeOf({ objectStream: true, edit })?.pages).toBe(2);
  });

  test('a file larger than 4 MiB has no bound', () => {
    expect(sizeOf({ more: [streamOf('x'.repeat(5_000_000), false)] })).toBeUndefined();
  });
});

/** Returns the least time of three readings: on a busy machine the same work takes more CPU time now and then. */
function timed(pdf: Buffer, budgetMs: number) {
  const base64 = pdf.toString('base64');
  const readings = [1, 2, 3].map(() => {
    const startMs = threadCpuMs();
    const size = sizeWithin(base64, new CpuDeadline(budgetMs));
    return { size, usedMs: threadCpuMs() - startMs };
  });
  return readings.reduce((best, reading) => (reading.usedMs < best.usedMs ? reading : best));
}

test.each<[string, () => Buffer]>([
  ['many objects', () => pdfOf({ more: Array(40_000).fill('<<>>') })],
  [
    'many references',
    () =>
      pdfOf({ edit: (object) => object.replace('/MediaBox', `/X [${'1 0 R '.repeat(300_000)}] /MediaBox`) }),
  ],
  ['many opening parentheses', () => pdfOf({ more: [`<< /X (${'('.repeat(1_000_000)} >>`] })],
  ['a stream of numbers', () => pdfOf({ more: [streamOf('1 '.repeat(1_500_000), false)] })],
  ['content made of strings only', () => pdfOf({ text: 'a) Tj ('.repeat(400_000) })],
  [
    'names with many escapes',
    () => pdfOf({ edit: (object) => object.replace('/MediaBox', `/A${'#20'.repeat(700_000)} 1 /MediaBox`) }),
  ],
])('a PDF with %s is read in bounded time', (_, make) => {
  expect(timed(make(), 100).usedMs).toBeLessThan(500);
});

describe('a PDF that would take long to read has no bound', () => {
  const objects = (count: number, object: (at: number) => string, rest = '') =>
    Buffer.from(
      `%PDF-1.7\n${Array.from({ length: count }, (_, at) => object(at)).join('')}${rest}`,
      'latin1',
    );
  const objectOf = (number: number, body: string) => `${number} 0 obj\n${body}\nendobj\n`;
  const latin1 = (bytes: Buffer) => bytes.toString('latin1');
  const emptyStream = latin1(streamOf('', false));

  /** Returns objects whose `/Length` points into the same long white space. */
  const lengthsIntoSpaces = (before: string, after: string) => {
    const count = 28_000;
    const object = (length: number) =>
      objectOf(7, `<</Length ${String(length).padStart(8, '0')}>>stream\n\nendstream`);
    const size = object(0).length;
    return objects(
      count,
      (at) => object((count - at) * size + 1_000),
      `${objectOf(8, `<<>>stream\n${before}${' '.repeat(2_000_000)}${after}\nendstream`)}x`,
    );
  };

  /** Returns compressed blocks of tables without data; eight of them have 90 bytes. */
  const emptyBlocks = (blocks: number) => {
    const bits: number[] = [];
    const put = (value: number, count: number) => {
      for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1);
    };
    for (let block = 0; block < 8; block++) {
      put(0b100, 3); // not the last one, and with tables
      put(0, 10); // 257 codes of literals, 1 of distances
      put(14, 4); // 18 lengths of code lengths: only runs of zeros (18) and the length 1 are used
      for (const symbol of [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1])
        put(symbol === 18 || symbol === 1 ? 1 : 0, 3);
      for (const zeros of [138, 118]) {
        put(1, 1);
        put(zeros - 11, 7);
      }
      put(0, 3); // lengths of the end of block and of the distance, then the end of the block
    }
    const eight = Buffer.from(
      Array.from({ length: bits.length / 8 }, (_, at) =>
        bits.slice(8 * at, 8 * at + 8).reduce((byte, bit, place) => byte | (bit << place), 0),
      ),
    );
    const last = Buffer.from([0x01, 0, 0, 0xff, 0xff, 0, 0, 0, 1]);
    return latin1(Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array<Buffer>(blocks / 8).fill(eight), last]));
  };
  const flate = (data: string, members = '') =>
    `<<${members}/Filter/FlateDecode/Length ${data.length}>>stream\n${data}\nendstream`;

  const REFUSED: [string, () => Buffer][] = [
    ['unterminated lists of glyphs', () => pdfOf({ more: [`<< ${'/Differences['.repeat(310_000)} >>`] })],
    [
      'unterminated lists of pages and content',
      () => pdfOf({ more: [`<< ${'/Kids['.repeat(19_000)}${'/Contents['.repeat(300_000)} >>`] }),
    ],
    ['a glyph name of many parts', () => pdfOf({ more: [`<< /Differences [/${'_'.repeat(3_500_000)}] >>`] })],
    [
      'many references to an object of many versions',
      () =>
        objects(
          10_000,
          () => objectOf(7, emptyStream),
          objectOf(8, `<< /Contents [${'7 0 R '.repeat(300_000)}] >>`),
        ),
    ],
    [
      'many fonts with one map of many versions',
      () =>
        objects(
          30_000,
          () => objectOf(7, emptyStream),
          objectOf(8, `<< ${'/ToUnicode 7 0 R '.repeat(100_000)} >>`),
        ),
    ],
    ['lengths that point into white space before the end', () => lengthsIntoSpaces('', '')],
    ['lengths that point into white space after the end', () => lengthsIntoSpaces('endstream', 'x')],
    [
      'empty forms',
      () => objects(38_000, () => objectOf(7, flate(latin1(deflateSync('')), '/Subtype/Form'))),
    ],
    [
      'empty object streams',
      () => objects(38_000, () => objectOf(7, flate(latin1(deflateSync('')), '/First 0'))),
    ],
    [
      'content of compressed blocks without data',
      () => objects(1, () => objectOf(7, flate(emptyBlocks(360_000), '/Subtype/Form'))),
    ],
    [
      'a map of codes for millions of characters',
      () =>
        pdfOf({
          edit: (object) => object.replace('/ToUnicode 4 0 R', '/ToUnicode 9100 0 R'),
          more: [streamOf(`<${'0041'.repeat(1_900_000)}>`)],
        }),
    ],
    ['many comments between objects', () => objects(1_900_000, () => '%\n', 'x')],
    ['many trailers', () => objects(200_000, () => 'trailer startxref 0\n', 'x')],
    ['unterminated hexadecimal strings', () => pdfOf({ more: [`[<${'0'.repeat(3_900_000)}`] })],
    ['unterminated strings', () => pdfOf({ more: [`[${'(\\('.repeat(1_200_000)}`] })],
  ];
  test.each(HEAVY ? REFUSED : REFUSED.slice(0, 4))(
    'with %s: rejected in linear time, regardless of the budget',
    (_, make) => {
      const pdf = make();
      expect(pdf.length).toBeLessThan(4 * 1024 * 1024);
      const { size, usedMs } = timed(pdf, 60_000);
      expect(size).toBeUndefined();
      expect(usedMs).toBeLessThan(1_500);
    },
  );

  test.each<[string, () => Buffer]>([
    [
      'forms of compressed blocks without data',
      () => objects(8, () => objectOf(7, flate(emptyBlocks(44_000), '/Subtype/Form'))),
    ],
    [
      'a map of millions of codes',
      () =>
        pdfOf({
          edit: (object) => object.replace('/ToUnicode 4 0 R', '/ToUnicode 9100 0 R'),
          more: [streamOf('<41>'.repeat(1_900_000))],
        }),
    ],
    [
      'an object stream of millions of numbers',
      () => pdfOf({ more: [streamOf('1 '.repeat(3_900_000), true, '/First 0 ')] }),
    ],
    ['many hexadecimal strings', () => pdfOf({ more: [`[${'<>'.repeat(1_900_000)}]`] })],
    ['many pages of text', () => pdfOf({ pages: 5_000, compressed: false, text: 'Hello. '.repeat(50) })],
  ])('with %s: reading stops when the budget is spent', (_, make) => {
    const pdf = make();
    expect(pdf.length).toBeLessThan(4 * 1024 * 1024);
    const { size, usedMs } = timed(pdf, 10);
    expect(size).toBeUndefined();
    expect(usedMs).toBeLessThan(300);
  });
});

test('a file marked as encrypted in its trailer has no bound', () => {
  const pdf = Buffer.from(
    pdfOf({ compressed: false }).toString('latin1').replace('/Root 1', '/Encrypt 5 0 R /Root 1'),
    'latin1',
  );
  expect(pdfSize(pdf.toString('base64'))).toBeUndefined();
});

test.each([
  ['in another object', '/Differences 9100 0 R'],
  ['with another list inside', '/Differences [1 [/f_f_i]]'],
])('a PDF with a list of glyphs %s has no bound', (_, member) => {
  expect(sizeOf({ more: ['[1 /f_f_i]', `<< ${member} >>`] })).toBeUndefined();
});

test('a glyph whose name lists several codes counts as all of them', () => {
  const text = 'A'.repeat(1_000);
  const size = sizeOf({ text, more: [`<< /Differences [65 /uni0041${'_uni0041'.repeat(99)}] >>`] });
  expect(size!.textTokens).toBeGreaterThanOrEqual(100_000);
});
