import { threadCpuMs } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import { pdfOf } from './pdf.fixture';
import { sizedPdfs } from './sized-pdfs';
import { tokenizerCpuQuota } from './tokenizer-cpu-quota';

const SIZE = { bodyBytes: 10_000, hasMedia: false, choices: 1, predictionBytes: 0 };
const pdf = pdfOf({ pages: 3 }).toString('base64');

test('the pages of all PDFs of a call are added up', () => {
  const counting = tokenizerCpuQuota(400, () => 0);
  expect(sizedPdfs({ ...SIZE, pdfs: [pdf, pdf] }, 'a', counting).pdf?.pages).toBe(6);
});

test('one PDF that cannot be bounded leaves all PDFs of the call without a bound', () => {
  const counting = tokenizerCpuQuota(400, () => 0);
  const size = { ...SIZE, pdfs: [pdf, Buffer.from('no PDF').toString('base64')] };
  expect(sizedPdfs(size, 'a', counting)).toBe(size);
});

test('the PDFs of an account that has used up its CPU time are not read', () => {
  const counting = tokenizerCpuQuota(400, () => 0);
  counting.run('a', 400, () => {
    const endMs = threadCpuMs() + 210;
    while (threadCpuMs() < endMs);
  });
  const size = { ...SIZE, pdfs: [pdf] };
  expect(sizedPdfs(size, 'a', counting)).toBe(size);
  expect(sizedPdfs(size, 'b', counting).pdf?.pages).toBe(3);
});
