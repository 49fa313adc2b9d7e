import { deflateSync } from 'node:zlib';

export interface PdfParts {
  readonly pages?: number;
  /** Content stream of each page. */
  readonly text?: string;
  /** Compresses content, as nearly all writers do. */
  readonly compressed?: boolean;
  /** Puts page objects into an object stream (PDF 1.5). */
  readonly objectStream?: boolean;
  /** Additional objects, each as the text between `N 0 obj` and `endobj`. */
  readonly more?: readonly (string | Buffer)[];
  /** Changes the text of the object with that number. */
  readonly edit?: (object: string) => string;
}

/** Creates a PDF as common writers do. */
export function pdfOf({
  pages = 1,
  text = 'Hello, world.',
  compressed = true,
  objectStream = false,
  more = [],
  edit = (object) => object,
}: PdfParts = {}): Buffer {
  const first = 10;
  const kids = Array.from({ length: pages }, (_, page) => `${first + 2 * page} 0 R`).join(' ');
  const dictionaries = new Map<number, string>([
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`],
    [3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 4 0 R >>'],
  ]);
  const map = '/CIDInit /ProcSet findresource begin begincmap 1 beginbfchar <41> <0041> endbfchar endcmap';
  const streams = new Map<number, Buffer>([[4, streamOf(map, compressed)]]);
  for (let page = 0; page < pages; page++) {
    const number = first + 2 * page;
    dictionaries.set(
      number,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${number + 1} 0 R >>`,
    );
    streams.set(number + 1, streamOf(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`, compressed));
  }
  const bodies: Buffer[] = [Buffer.from('%PDF-1.7\n%\u00e2\u00e3\n', 'latin1')];
  const put = (number: number, body: Buffer | string) =>
    bodies.push(Buffer.from(`${number} 0 obj\n`), Buffer.from(body as string), Buffer.from('\nendobj\n'));
  if (objectStream) {
    const objects = [...dictionaries].map(([number, object]) => [number, edit(object)] as const);
    let offset = 0;
    const table = objects.map(([number, object]) => {
      const entry = `${number} ${offset}`;
      offset += object.length + 1;
      return entry;
    });
    const head = `${table.join(' ')} `;
    const data = deflateSync(Buffer.from(head + objects.map(([, object]) => object).join(' ')));
    const dictionary = `<< /Type /ObjStm /N ${objects.length} /First ${head.length} /Filter /FlateDecode /Length ${data.length} >>`;
    put(9_000, Buffer.concat([Buffer.from(`${dictionary}\nstream\n`), data, Buffer.from('\nendstream')]));
  } else for (const [number, object] of dictionaries) put(number, edit(object));
  for (const [number, stream] of streams) put(number, stream);
  for (const [at, object] of more.entries()) put(9_100 + at, object);
  bodies.push(
    Buffer.from(
      'xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 9200 /Root 1 0 R >>\nstartxref\n0\n%%EOF\n',
    ),
  );
  return Buffer.concat(bodies);
}

/** @param members of its dictionary */
export function streamOf(content: string, compressed = true, members = ''): Buffer {
  const data = compressed ? deflateSync(Buffer.from(content, 'latin1')) : Buffer.from(content, 'latin1');
  const filter = compressed ? ' /Filter /FlateDecode' : '';
  return Buffer.concat([
    Buffer.from(`<< ${members}${filter} /Length ${data.length} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);
}
