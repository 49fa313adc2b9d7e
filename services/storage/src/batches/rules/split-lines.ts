/** A line that is longer than the bound. */
export class LineTooLong extends Error {}

export interface NumberedLine {
  /** Counted from 1, also over empty lines. */
  readonly number: number;
  readonly bytes: Buffer;
}

const NEWLINE = 0x0a;
/** Some editors and spreadsheets write it before the first line. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const BLANK = /^\s*$/;
const MAX_BLANK_BYTES = 64;

/** Splits content into lines, and leaves out the empty ones and a byte order mark. @throws LineTooLong */
export async function* splitLines(
  content: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<NumberedLine> {
  let number = 0;
  let pieces: Buffer[] = [];
  let length = 0;
  const take = (): NumberedLine => {
    const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    number += 1;
    return { number, bytes: number === 1 ? withoutMark(bytes) : bytes };
  };
  for await (const piece of content) {
    let start = 0;
    while (start < piece.length) {
      const newline = piece.indexOf(NEWLINE, start);
      const end = newline === -1 ? piece.length : newline;
      length += end - start;
      if (length > maxBytes) throw new LineTooLong(`line ${number + 1} is longer than ${maxBytes} bytes`);
      pieces.push(piece.subarray(start, end));
      start = end + 1;
      if (newline === -1) break;
      const line = take();
      if (!isBlank(line.bytes)) yield line;
    }
  }
  if (length === 0) return;
  const last = take();
  if (!isBlank(last.bytes)) yield last;
}

const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;

const isBlank = (bytes: Buffer): boolean => bytes.length <= MAX_BLANK_BYTES && BLANK.test(bytes.toString());
