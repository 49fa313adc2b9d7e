import type { CpuDeadline } from './cpu-deadline';
import { type Decrypt, decryptionOf, readString } from './pdf-encryption';
import { filtersOf } from './pdf-filters';
import { type ContentStrings, normalizeObject, stringBytesOf } from './pdf-text';

/** The figures that bound the tokens of a PDF. */
export interface PdfSize {
  readonly pages: number;
  /** Maximum tokens of the text that can be extracted from it. */
  readonly textTokens: number;
}

/** Larger files are bounded by the context length: reading them would delay other calls. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Maximum length of the base64 text, with space for line breaks. Longer text is not decoded. */
const MAX_BASE64_CHARS = 1.5 * MAX_FILE_BYTES;
/** Maximum bytes read of all streams of a file. */
const MAX_STREAM_BYTES = 8 * 1024 * 1024;
/** The minimum that each stream counts for, so that the limit above bounds their number too. */
const MIN_STREAM_BYTES = 1024;
const MAX_OBJECTS = 50_000;
/** Maximum length of an encryption dictionary. */
const MAX_ENCRYPTION_CHARS = 4_096;
/** Maximum number of pages, of the streams that they show, and of dictionary members of each kind. */
const MAX_COUNT = 20_000;
/** Maximum length of a name: Adobe limits names to 127 bytes. */
const MAX_NAME_CHARS = 1_024;
/** Maximum hexadecimal digits for one code in a ToUnicode map: Adobe limits them to 1,024. */
const MAX_MAPPED_CHARS = 4_096;
/** Tokens of the separators that providers add between pages and strings, and of their introduction to a document. */
const PAGE_OVERHEAD_TOKENS = 64;
const FILE_OVERHEAD_TOKENS = 256;
/** Maximum bytes of UTF-8 of a character code if the font does not say more: one character of the BMP. */
const CODE_BYTES = 3;

const OBJECT = /[\s\0]*(\d{1,10})[\s\0]+(\d{1,5})[\s\0]+obj\b/y;
const STREAM = /stream(\r\n|\n)/y;
const REFERENCE = /(\d{1,10})\s+\d{1,5}\s+R\b/g;

/** Text of an indirect object without its stream data; comments are removed and strings are emptied. */
interface PdfObject {
  readonly number: number;
  readonly generation: number;
  /** Text of the object as it is in the file, without its stream. */
  readonly source: () => string;
  readonly text: string;
  /** Data of its stream as it is in the file; undefined if it has none. */
  readonly data: Buffer | undefined;
  /** Whether the dictionary states where the data ends; otherwise the first end marker in the file is used. */
  readonly hasLength?: boolean;
}

/** Matches names that count pages and text, names that are refused, and the escape character of a name. */
const STRUCTURAL_NAMES = /\/(?:Kids|Page|Contents|ToUnicode|AP|Differences|ActualText|Properties|XFA)\b|#/g;

/** All versions of an object: an incremental update appends a later one. */
type ByNumber = ReadonlyMap<number, readonly PdfObject[]>;

/** The file's size can't be bounded from its bytes. */
class Unbounded extends Error {}

/**
 * Returns the number of pages of a PDF and the maximum text in it, from its bytes. Undefined if the file is too large,
 * encrypted, damaged, built in a way that could hide pages or repeat text, or not read within the CPU budget: then only the
 * model's context bounds it.
 */
export function pdfSize(base64: string, budget: CpuDeadline): PdfSize | undefined {
  if (base64.length > MAX_BASE64_CHARS) return undefined;
  try {
    budget.spend(base64.length);
    const bytes = Buffer.from(base64, 'base64');
    return bytes.length > MAX_FILE_BYTES ? undefined : sizeOf(bytes, budget);
  } catch {
    return undefined;
  }
}

function sizeOf(bytes: Buffer, budget: CpuDeadline): PdfSize {
  const { objects, trailers, stringBytes } = readObjects(bytes, budget);
  const streams = new PdfStreamReader(budget, decryptionOfFile(bytes, objects, trailers, budget));
  const texts = [...objects.map(({ text }) => text), ...trailers];
  let outerBytes = stringBytes;
  const forms: PdfObject[] = [];
  for (const object of objects) {
    budget.spend(object.text.length);
    if (object.data === undefined) continue;
    // The subtype may be an indirect reference, in which case the stream can't be told from an image.
    if (/\/Subtype\b(?!\s*\/)/.test(object.text)) throw new Unbounded('a stream of unknown kind');
    if (/\/Subtype\s*\/Form\b/.test(object.text)) forms.push(object);
    if (!/\/First\b/.test(object.text) && !/\/Type\s*\/ObjStm\b/.test(object.text)) continue;
    const text = streams.dataOf(object).toString('latin1');
    const inner = normalizeObject(text, 0, budget, true);
    // Its cross-reference table may point into a string or a comment, which are removed from the text read below.
    if (occurrences(text, STRUCTURAL_NAMES, budget) !== occurrences(inner.text, STRUCTURAL_NAMES, budget))
      throw new Unbounded('hidden members');
    texts.push(inner.text);
    outerBytes += inner.stringBytes;
  }
  const structure = texts.join('\n');
  refuseTricks(structure, budget);
  const pages = pagesOf(structure, budget);
  const byNumber = Map.groupBy(objects, ({ number }) => number);
  const content = contentOf(structure, byNumber, budget);
  const appearances = occurrences(structure, /\/AP\b/g, budget);
  const shown = shownBytes(streams, content, forms, appearances);
  const codeBytes = Math.max(
    CODE_BYTES,
    bytesOfMaps(structure, byNumber, streams, budget),
    bytesOfGlyphs(structure, budget),
  );
  return {
    pages,
    textTokens: (shown + outerBytes) * codeBytes + pages * PAGE_OVERHEAD_TOKENS + FILE_OVERHEAD_TOKENS,
  };
}

/** Returns how the streams of a file are decrypted; undefined if it is not encrypted. Throws for a file that requires a password. */
function decryptionOfFile(
  bytes: Buffer,
  objects: readonly PdfObject[],
  trailers: readonly string[],
  budget: CpuDeadline,
): Decrypt | undefined {
  const isEncrypted = (text: string) => /\/Encrypt\b/.test(text);
  if (!trailers.some(isEncrypted) && !objects.some(({ text }) => isEncrypted(text))) return undefined;
  const text = bytes.toString('latin1');
  budget.spend(2 * text.length);
  const members = new Set(text.match(/\/Encrypt\s*(?:\d+\s+\d+\s+R\b|<<)/g));
  const [member = ''] = members;
  if (members.size !== 1) throw new Unbounded('encrypted in several ways');
  const [, number] = /(\d+)\s+\d+\s+R$/.exec(member) ?? [];
  const versions = objects.filter((object) => object.number === Number(number));
  if (number !== undefined && versions.length !== 1) throw new Unbounded('encrypted in several ways');
  const direct = text.slice(text.indexOf(member), text.indexOf(member) + MAX_ENCRYPTION_CHARS);
  const id = /\/ID\s*\[\s*(?=[<(])/.exec(text);
  const firstId = id ? readString(text, id.index + id[0].length) : Buffer.alloc(0);
  return decryptionOf(versions[0]?.source() ?? direct, firstId, budget);
}

interface FileContent {
  readonly objects: readonly PdfObject[];
  readonly trailers: readonly string[];
  readonly stringBytes: number;
}

/**
 * Reads the file from start to end rather than by its cross-reference table. Between objects only such tables and trailers
 * are allowed, so that no object is overlooked.
 */
function readObjects(bytes: Buffer, budget: CpuDeadline): FileContent {
  const text = bytes.toString('latin1');
  if (!text.startsWith('%PDF-')) throw new Unbounded('no header');
  const objects: PdfObject[] = [];
  const trailers: string[] = [];
  let stringBytes = 0;
  let at = 0;
  for (;;) {
    at = skipBetween(text, at, trailers, budget);
    if (at === text.length) break;
    budget.spend();
    OBJECT.lastIndex = at;
    const head = OBJECT.exec(text);
    if (!head || objects.length === MAX_OBJECTS) throw new Unbounded('no object');
    const number = Number(head[1]);
    const generation = Number(head[2]);
    const bodyAt = OBJECT.lastIndex;
    const body = normalizeObject(text, OBJECT.lastIndex, budget);
    stringBytes += body.stringBytes;
    const source = () => text.slice(bodyAt, body.end);
    if (text.startsWith('endobj', body.end)) {
      objects.push({ number, generation, source, text: body.text, data: undefined });
      at = body.end + 'endobj'.length;
      continue;
    }
    STREAM.lastIndex = body.end;
    if (!STREAM.test(text)) throw new Unbounded('an object without an end');
    const dataAt = STREAM.lastIndex;
    const { dataEnd, end, hasLength } = streamEnd(text, dataAt, body.text);
    objects.push({
      number,
      generation,
      source,
      text: body.text,
      data: bytes.subarray(dataAt, dataEnd),
      hasLength,
    });
    at = end;
  }
  // The cross-reference table may also point into a string, a comment or the data of a stream.
  if (occurrences(text, /(?<=[\s\0\d])obj\b/g, budget, MAX_OBJECTS) !== objects.length)
    throw new Unbounded('hidden objects');
  return { objects, trailers, stringBytes };
}

/** Returns the index after white space, comments, cross-reference tables and trailers. */
function skipBetween(text: string, start: number, trailers: string[], budget: CpuDeadline): number {
  const between = /(?:[\s\0]+|%[^\r\n]*|xref\s[\d\sfn]*|startxref\s+\d+|trailer\b)/y;
  let at = start;
  for (;;) {
    between.lastIndex = at;
    const [found] = between.exec(text) ?? [];
    if (found === undefined) return at;
    budget.spend();
    at += found.length;
    if (found !== 'trailer') continue;
    const trailer = normalizeObject(text, at, budget);
    trailers.push(trailer.text);
    at = trailer.end;
  }
}

/** Trims white space on both ends, up to a limit: every object may claim that its stream ends in the same long white space. */
const STREAM_END = /[\s\0]{0,4}endstream[\s\0]{1,16}endobj\b/y;

interface StreamEnd {
  readonly dataEnd: number;
  /** Index after `endobj`. */
  readonly end: number;
  readonly hasLength: boolean;
}

function streamEnd(text: string, dataAt: number, dictionary: string): StreamEnd {
  const length = /\/Length\s+(\d{1,10})\b(?!\s+\d+\s+R)/.exec(dictionary)?.[1];
  const endFrom = (dataEnd: number) => {
    STREAM_END.lastIndex = dataEnd;
    return STREAM_END.test(text) ? { dataEnd, end: STREAM_END.lastIndex } : undefined;
  };
  const declared = length === undefined ? undefined : endFrom(dataAt + Number(length));
  const found = declared ?? endFrom(text.indexOf('endstream', dataAt));
  if (!found) throw new Unbounded('a stream without an end');
  return { ...found, hasLength: declared !== undefined };
}

/** Throws for anything that could hide pages or text from the counts below. */
function refuseTricks(structure: string, budget: CpuDeadline): void {
  budget.spend(structure.length);
  if (/\/XFA\b/.test(structure)) throw new Unbounded('an XFA form');
  // Letters and digits are escaped only to hide a name.
  if (/#(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])/.test(structure)) throw new Unbounded('a hidden name');
  if (structure.includes('/ActualText') && structure.includes('/Properties')) {
    throw new Unbounded('text that may be shown several times');
  }
}

/** Counts the leaves of the page tree: each is an object that is referenced once. */
function pagesOf(structure: string, budget: CpuDeadline): number {
  const named = new Set<string>();
  let arrays = 0;
  for (const [, kids = ''] of budget.matches(structure, /\/Kids\s*\[([^[\]<]*)\]/g)) {
    arrays++;
    for (const [, number = ''] of budget.matches(kids, REFERENCE)) {
      if (named.has(number) || named.size === MAX_COUNT)
        throw new Unbounded('a page that is named twice, or too many');
      named.add(number);
    }
  }
  if (arrays !== occurrences(structure, /\/Kids\b/g, budget))
    throw new Unbounded('a list of pages that cannot be read');
  const typed = occurrences(structure, /\/Type\s*\/Page\b/g, budget);
  return Math.max(1, typed, named.size);
}

/** Returns the streams that pages show, each as often as it is referenced. */
function contentOf(structure: string, byNumber: ByNumber, budget: CpuDeadline): PdfObject[] {
  const content: PdfObject[] = [];
  const add = (number: string) => {
    const versions = streamsOf(Number(number), byNumber);
    if (content.length + versions.length > MAX_COUNT) throw new Unbounded('too much content');
    content.push(...versions);
  };
  const named = /\/Contents\s*(?:\(\)|(\d+)\s+\d+\s+R\b|\[([^[\]<]*)\])/g;
  let members = 0;
  for (const [, one, list = ''] of budget.matches(structure, named)) {
    members++;
    if (one !== undefined) add(one);
    for (const [, number = ''] of budget.matches(list, REFERENCE)) add(number);
  }
  if (members !== occurrences(structure, /\/Contents\b/g, budget))
    throw new Unbounded('content that cannot be read');
  return content;
}

/** Returns the streams of all versions of the object. A list of streams, or an object inside a stream, is not followed. */
function streamsOf(number: number, byNumber: ByNumber): readonly PdfObject[] {
  const versions = byNumber.get(number) ?? [];
  if (versions.length === 0 || versions.some(({ data }) => data === undefined)) {
    throw new Unbounded('content that is no stream');
  }
  return versions;
}

/** Returns the maximum bytes and number of the strings that pages show; a space may be added between two strings. */
function shownBytes(
  streams: PdfStreamReader,
  content: readonly PdfObject[],
  forms: readonly PdfObject[],
  appearances: number,
): number {
  let bytes = 0;
  let shownForms = appearances;
  const read = new Map<PdfObject, ContentStrings>();
  for (const stream of content) {
    const strings = read.get(stream) ?? stringBytesOf(streams.dataOf(stream));
    read.set(stream, strings);
    bytes += strings.bytes;
    shownForms += strings.invocations;
  }
  const inForms = forms.map((form) => read.get(form) ?? stringBytesOf(streams.dataOf(form)));
  const formBytes = inForms.reduce((sum, form) => sum + form.bytes, 0);
  if (formBytes === 0) return bytes;
  // A form may show other forms; only one level is followed.
  if (inForms.some(({ invocations }) => invocations > 0)) throw new Unbounded('forms within forms');
  return bytes + formBytes * Math.max(1, shownForms);
}

/** Returns the maximum bytes of text for one code of a string: a ToUnicode map may map it to several characters. */
function bytesOfMaps(
  structure: string,
  byNumber: ByNumber,
  streams: PdfStreamReader,
  budget: CpuDeadline,
): number {
  const numbers = new Set<number>();
  for (const [, number] of budget.matches(structure, /\/ToUnicode\s+(\d+)\s+\d+\s+R\b/g)) {
    if (numbers.add(Number(number)).size > MAX_COUNT) throw new Unbounded('too many fonts');
  }
  let most = 0;
  for (const map of [...numbers].flatMap((number) => streamsOf(number, byNumber))) {
    const text = streams.dataOf(map).toString('latin1');
    for (const [, hex = ''] of budget.matches(text, /<([0-9a-fA-F\s\0]*)>/g)) {
      if (hex.length > MAX_MAPPED_CHARS) throw new Unbounded('a code for too many characters');
      budget.spend(hex.length * 4);
      most = Math.max(most, utf8Bytes(hex.replace(/[\s\0]/g, '')));
    }
  }
  return most;
}

/** The same for fonts that name the glyph of each code. */
function bytesOfGlyphs(structure: string, budget: CpuDeadline): number {
  let most = 0;
  let arrays = 0;
  for (const [, names = ''] of budget.matches(structure, /\/Differences\s*\[([^[\]]*)\]/g)) {
    arrays++;
    for (const [name] of budget.matches(names, /\/[^\s/]+/g)) {
      if (name.length > MAX_NAME_CHARS) throw new Unbounded('a name that is too long');
      budget.spend(name.length * 4);
      most = Math.max(most, bytesOfGlyph(name.slice(1)));
    }
  }
  if (arrays !== occurrences(structure, /\/Differences\b/g, budget))
    throw new Unbounded('a list of glyphs that cannot be read');
  return most;
}

/** Bytes of UTF-8 for UTF-16 in hexadecimal digits. */
function utf8Bytes(hex: string): number {
  let bytes = 0;
  for (let at = 0; at < hex.length; at += 4) {
    const unit = Number.parseInt(hex.slice(at, at + 4), 16);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }
  return bytes;
}

/** Maximum bytes of a glyph whose name stands for several characters: `f_f_i`, `uni00660069` (Adobe Glyph List). */
function bytesOfGlyph(name: string): number {
  const parts = name.split('_');
  return parts.reduce((bytes, part) => {
    if (part.length === 1) return bytes + 1;
    return bytes + (/^uni[0-9a-fA-F]/.test(part) ? Math.ceil(part.length / 4) : 1) * CODE_BYTES;
  }, 0);
}

function occurrences(text: string, pattern: RegExp, budget: CpuDeadline, most = MAX_COUNT): number {
  let count = 0;
  for (const _found of budget.matches(text, pattern)) {
    if (++count > most) throw new Unbounded('more than a document has');
  }
  return count;
}

/** Reads the data of streams, within a limit for the whole file. */
class PdfStreamReader {
  readonly #budget: CpuDeadline;
  readonly #decrypt: Decrypt | undefined;
  #leftBytes = MAX_STREAM_BYTES;

  /** @param decrypt undefined: the file is not encrypted */
  constructor(budget: CpuDeadline, decrypt: Decrypt | undefined) {
    this.#budget = budget;
    this.#decrypt = decrypt;
  }

  dataOf({ number, generation, text, data = Buffer.alloc(0), hasLength }: PdfObject): Buffer {
    if (this.#leftBytes <= 0) throw new Unbounded('too much to read');
    const filters = filtersOf(text);
    // Encoded data marks its own end; other data may contain what looks like an end marker.
    if ((filters.length === 0 || this.#decrypt) && !hasLength) throw new Unbounded('data of unknown length');
    this.#count(data);
    let read = this.#decrypt?.(data, [number, generation]) ?? data;
    for (const { decode, parms } of filters) {
      read = decode(read, parms, this.#leftBytes, this.#budget);
      this.#count(read);
    }
    return read;
  }

  #count({ length }: Buffer): void {
    const bytes = Math.max(MIN_STREAM_BYTES, length);
    this.#leftBytes -= bytes;
    this.#budget.spend(bytes);
    if (this.#leftBytes <= 0) throw new Unbounded('too much to read');
  }
}
