import { expect, test } from '@jest/globals';
import { toCsv } from './to-csv';

const line = (...cells: (string | number)[]) => toCsv([cells]).slice(1);

test('starts with the UTF-8 byte order mark and ends lines with CRLF', () => {
  expect(
    toCsv([
      ['a', 'b'],
      [1, 2],
    ]),
  ).toBe('\uFEFFa,b\r\n1,2\r\n');
});

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['', ''],
])('quotes the CSV value %j if necessary', (cell, field) => {
  expect(line(cell)).toBe(`${field}\r\n`);
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '=HYPERLINK("http://x","y")', '\r=1'])(
  'neutralizes the formula %j',
  (cell) => {
    expect(
      line(cell)
        .replace(/^"/, '')
        .startsWith(`'${cell.charAt(0)}`),
    ).toBe(true);
  },
);

test('writes numbers with all decimals', () => {
  expect(line(0.000000001, 1200, 0.5, 0, 12.345678901, 1e21 / 1e19)).toBe(
    '0.000000001,1200,0.5,0,12.345678901,100\r\n',
  );
});
