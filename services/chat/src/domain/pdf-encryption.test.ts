import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { CpuDeadline } from './cpu-deadline';
import { decryptionOf, readString } from './pdf-encryption';
import { pdfSize } from './pdf-size';

/** Files of two pages, each with this text in six lines. */
const LINE = 'The quick brown fox jumps over the lazy dog 0.';
const file = (name: string) => readFileSync(join(__dirname, '__fixtures__', `encrypted-${name}.pdf`));
const sizeOf = (pdf: Buffer) => pdfSize(pdf.toString('base64'), new CpuDeadline(5_000));
const replaced = (pdf: Buffer, from: string | RegExp, to: string) =>
  Buffer.from(pdf.toString('latin1').replace(from, to), 'latin1');

test.each(['rc4-40', 'rc4-128', 'aes-128', 'aes-256', 'object-streams'])(
  'an encrypted file that opens without a password is bounded by its pages and text: %s',
  (name) => {
    const size = sizeOf(file(name))!;
    expect(size.pages).toBe(2);
    expect(size.textTokens).toBeGreaterThanOrEqual(2 * 6 * LINE.length);
    expect(size.textTokens).toBeLessThan(6_000);
  },
);

describe('an encrypted file has no bound', () => {
  test.each<[string, Buffer]>([
    ['it requires a password', file('with-a-password')],
    ['its check of the password is another', replaced(file('rc4-128'), /\/U<../, '/U<00')],
    ['its identifier is another', replaced(file('aes-128'), /\/ID\[<../, '/ID[<00')],
    ['its security handler is unknown', replaced(file('rc4-128'), '/Filter/Standard', '/Filter/Standing')],
    ['its revision does not belong to its version', replaced(file('rc4-128'), '/R 3', '/R 4')],
    ['its version is unknown', replaced(file('rc4-128'), '/V 2', '/V 3')],
    ['its method is unknown', replaced(file('aes-128'), '/AESV2', '/AESV9')],
    [
      'it names another dictionary too',
      Buffer.concat([file('rc4-128'), Buffer.from('trailer <</Encrypt 5 0 R>>')]),
    ],
  ])('if %s', (_, pdf) => {
    expect(sizeOf(pdf)).toBeUndefined();
  });

  test('if the CPU time does not suffice', () => {
    const dictionary = /<<\/Filter\/Standard.*/s.exec(file('aes-256').toString('latin1'))![0];
    expect(() => decryptionOf(dictionary, Buffer.alloc(0), new CpuDeadline(-1))).toThrow('CPU');
    expect(decryptionOf(dictionary, Buffer.alloc(0), new CpuDeadline(1_000))).toBeDefined();
  });
});

test.each([
  ['<48 65 6c6C 6f>', 'Hello'],
  ['(Hello (there))', 'Hello (there)'],
  ['(\\110\\145\\n\\)\\(\\\\)', 'He\n)(\\'],
  ['(one\\\r\ntwo\rthree)', 'onetwo\nthree'],
])('a string %j is read', (text, value) => {
  expect(readString(`${text} /Next`, 0).toString('latin1')).toBe(value);
});
