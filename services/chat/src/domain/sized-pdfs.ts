import type { CpuTimeQuota } from '@gateway/quota';
import { CpuDeadline } from './cpu-deadline';
import { type PdfSize, pdfSize } from './pdf-size';
import { MINIMUM_COUNT_MS } from './tokenizer-cpu-quota';
import type { RequestSize } from './upper-bound';

/** CPU time to read the PDFs of one call. */
const BUDGET_MS = 100;

/** Returns the size with the figures of its PDFs, if they bound its tokens and the account has CPU quota left to read them. */
export function sizedPdfs(size: RequestSize, accountId: string, counting: CpuTimeQuota): RequestSize {
  const { pdfs = [] } = size;
  if (pdfs.length === 0 || size.hasMedia) return size;
  const pdf = counting.run(accountId, BUDGET_MS, (budgetMs) => sumOf(pdfs, budgetMs));
  return pdf ? { ...size, pdf } : size;
}

/** Returns undefined if one of them can't be bounded, or the time does not suffice for all of them. */
function sumOf(pdfs: readonly string[], budgetMs: number): PdfSize | undefined {
  if (budgetMs <= MINIMUM_COUNT_MS) return undefined;
  const budget = new CpuDeadline(budgetMs);
  let pages = 0;
  let textTokens = 0;
  for (const base64 of pdfs) {
    const size = pdfSize(base64, budget);
    if (!size) return undefined;
    pages += size.pages;
    textTokens += size.textTokens;
  }
  return { pages, textTokens };
}
